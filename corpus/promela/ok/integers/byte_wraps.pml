/* byte keeps the low 8 bits: 0 .. 255. */
byte x = 255;
active proctype P() { x = x + 1; assert(x == 0); x = x - 1; assert(x == 255); x = 300; assert(x == 44); x = -2; assert(x == 254) }
