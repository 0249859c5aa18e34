/* A backslash at the end of a line continues a macro. */
#define BODY \
    x = 1;   \
    x = x + 1
byte x;
active proctype P() { BODY; assert(x == 2) }
