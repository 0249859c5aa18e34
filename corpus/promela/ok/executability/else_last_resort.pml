/* else is executable only if no other option is. */
byte x;
active proctype P() { do :: x < 2 -> x++ :: x == 1 -> x = 9 :: else -> break od; assert(x != 0) }
