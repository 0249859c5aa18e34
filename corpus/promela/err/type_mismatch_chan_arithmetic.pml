/* Channels cannot be added. */
chan c = [1] of { byte };
chan d = [1] of { byte };
byte x;
active proctype P()
{
    x = c + d
}
