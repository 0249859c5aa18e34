/* else inside atomic. */
byte x, y;
active proctype A() { atomic { if :: x == 1 -> y = 1 :: else -> y = 2 fi; y = y + 10 } }
active proctype B() { x = 1; assert(y == 0 || y > 10) }
