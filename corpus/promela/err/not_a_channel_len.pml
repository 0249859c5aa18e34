/* len of something that is not a channel. */
byte x;
active proctype P()
{
    assert(len(x) == 0)
}
