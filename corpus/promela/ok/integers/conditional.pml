/* (c -> a : b) is a if c is not 0, otherwise b; only that one is evaluated. */
byte x = 3, y; byte a[2];
active proctype P() { y = (x > 2 -> 10 : 20); assert(y == 10); y = (x > 5 -> a[x] : (x == 3 -> 30 : 40)); assert(y == 30); (x == 3 -> false : true) }
