/* A body needs at least one statement. */
active proctype P()
{
}
