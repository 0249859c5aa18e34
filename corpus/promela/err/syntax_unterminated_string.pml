/* A string that does not end on its line. */
active proctype P()
{
    printf("hello);
    skip
}
