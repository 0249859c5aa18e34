/* # makes a string, ## joins names. */
#define VAR(n) v ## n
#define SHOW(e) printf(#e)
byte VAR(1) = 4;
active proctype P() { assert(v1 == 4); SHOW(v1 + 1) }
