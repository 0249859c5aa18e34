/* A field that the record does not have. */
typedef T { byte a };
T t;
active proctype P()
{
    t.b = 1
}
