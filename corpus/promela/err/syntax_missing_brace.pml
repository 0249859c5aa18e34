/* The file ends inside a process. */
active proctype P()
{
    skip;
    skip
