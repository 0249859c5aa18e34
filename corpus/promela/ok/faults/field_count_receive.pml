/* A receive with more fields than the channel has. */
chan c = [1] of { byte };
byte x, y;
active proctype P()
{
    c!1;
    c?x,y
}
