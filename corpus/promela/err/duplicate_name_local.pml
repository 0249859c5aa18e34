/* Two locals of one name in one scope. */
active proctype P()
{
    byte a;
    bit a;
    a = 1
}
