/* Comparisons and logical operators give 0 or 1. */
byte x = 5;
active proctype P() { byte r; r = (x && 3) + (x == 5) + !x + (x || 0) + (x > 9); assert(r == 3); r = !(!x); assert(r == 1) }
