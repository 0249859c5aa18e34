/* A member of an mtype cannot be assigned to. */
mtype = { red, green };
active proctype P()
{
    red = 1
}
