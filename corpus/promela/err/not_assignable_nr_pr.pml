/* _nr_pr cannot be incremented. */
active proctype P()
{
    _nr_pr++
}
