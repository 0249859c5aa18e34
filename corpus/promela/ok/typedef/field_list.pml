/* A field that is an array may start as a list. */
typedef T { byte a[3] = { 1, 2, 3 }; int z = -1 }
T t;
active proctype P() { assert(t.a[0] == 1 && t.a[2] == 3 && t.z == -1) }
