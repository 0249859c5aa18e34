/* A remainder by a macro that is 0. */
#define N 0
byte x = 4;
active proctype P()
{
    x = x % N
}
