/* unsigned x : n keeps n bits without sign. */
unsigned x : 3, y : 5 = 31;
active proctype P() { x = 7; x = x + 1; assert(x == 0); x = 13; assert(x == 5); y++; assert(y == 0); y--; assert(y == 31); x = -1; assert(x == 7) }
