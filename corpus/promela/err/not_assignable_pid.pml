/* _pid cannot be assigned to. */
active proctype P()
{
    _pid = 1
}
