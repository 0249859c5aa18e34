/* A statement in C. */
int x;
active proctype P()
{
    c_code { now.x = 3; };
    assert(x == 3)
}
