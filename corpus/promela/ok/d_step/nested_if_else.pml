/* else inside d_step. */
byte x = 4, y;
active proctype P() { d_step { skip; if :: x > 5 -> y = 1 :: else -> if :: x > 3 -> y = 2 :: else -> y = 3 fi fi }; assert(y == 2) }
