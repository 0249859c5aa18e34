/* Macros with arguments are replaced before anything else. */
#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define TWICE(s) s; s
byte x = 3;
active proctype P() { x = MAX(x, 5); assert(x == 5); TWICE(x++); assert(MAX(x, 2) == 7) }
