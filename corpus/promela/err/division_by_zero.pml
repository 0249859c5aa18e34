/* A constant division by 0. */
byte x = 4;
active proctype P()
{
    x = x / 0
}
