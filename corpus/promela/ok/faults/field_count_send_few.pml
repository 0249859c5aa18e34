/* A send with fewer fields than the channel has. */
chan c = [1] of { byte, byte };
active proctype P()
{
    c!1
}
