/* A send with more fields than the channel has. */
chan c = [1] of { byte, byte };
active proctype P()
{
    c!1,2,3
}
