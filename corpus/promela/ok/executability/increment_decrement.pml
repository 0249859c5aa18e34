/* v++ and v-- are assignments. */
byte x = 1;
short y;
active proctype P() { x++; y--; assert(x == 2 && y == -1); x--; y++ }
