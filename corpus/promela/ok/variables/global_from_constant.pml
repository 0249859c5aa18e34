/* A global may be initialised by an earlier macro or constant expression. */
#define K 3
byte a = K * 2, b = K - 1;
short c = -K;
active proctype P() { assert(a == 6 && b == 2 && c == -3) }
