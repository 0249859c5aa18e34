/* An index on a variable that is no array. */
byte x;
active proctype P()
{
    x[1] = 2
}
