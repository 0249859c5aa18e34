/* Two typedefs of one name. */
typedef T { byte a };
typedef T { byte b };
active proctype P() { T t; t.a = 1 }
