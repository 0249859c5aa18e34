/* A d_step is one transition, whatever it does. */
byte x, y;
active proctype P() { d_step { x = 1; y = x + 1; x = y + 1 }; assert(x == 3) }
active proctype Q() { assert(y == 0 || x == 3) }
