/* timeout may be part of a larger expression. */
byte x;
active proctype P() { if :: timeout && x == 1 -> x = 2 :: timeout && x == 0 -> x = 3 fi; assert(x == 3) }
