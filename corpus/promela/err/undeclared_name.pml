/* A variable that nobody declared. */
byte x;
active proctype P()
{
    x = y + 1
}
