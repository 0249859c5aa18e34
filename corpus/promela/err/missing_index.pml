/* An array used without an index. */
byte a[3];
byte x;
active proctype P()
{
    x = a
}
