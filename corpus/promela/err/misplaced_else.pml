/* else that is not the first statement of an option. */
byte x;
active proctype P()
{
    x = 1;
    else;
    x = 2
}
