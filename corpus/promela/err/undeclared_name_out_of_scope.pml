/* A variable of a block is unknown behind the block. */
active proctype P()
{
    {
        byte inner;
        inner = 1
    };
    assert(inner == 1)
}
