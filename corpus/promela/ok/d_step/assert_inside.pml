/* An assertion inside d_step is checked. */
byte x;
active proctype P() { d_step { x = 1; assert(x == 2); x = 2 } }
