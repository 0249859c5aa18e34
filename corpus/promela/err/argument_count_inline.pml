/* A call of an inline with too many arguments. */
byte x;
inline set(v, n) { v = n }
active proctype P()
{
    set(x, 1, 2)
}
