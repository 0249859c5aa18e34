/* A macro without a value vanishes; one used inside another is replaced too. */
#define EMPTY
#define A B
#define B 4
byte x = A EMPTY;
active proctype P() { assert(x == 4) EMPTY }
