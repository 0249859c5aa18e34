/* A record is not a number. */
typedef T { byte a; byte b };
T t;
byte x;
active proctype P()
{
    x = t + 1
}
