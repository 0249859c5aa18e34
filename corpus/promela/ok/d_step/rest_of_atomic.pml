/* A d_step that blocks inside atomic gives control away. */
byte x, y;
active proctype P() { atomic { y = 1; d_step { x == 1 -> y = 2; y = 3 }; y = 4 } }
active proctype Q() { assert(y == 0 || y == 1); x = 1; assert(y != 2 && y != 3) }
