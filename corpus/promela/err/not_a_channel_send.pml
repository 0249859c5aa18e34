/* A send to something that is not a channel. */
byte x;
active proctype P()
{
    x!1
}
