/* for inside for. */
byte i, j, n;
active proctype P() { for (i : 1 .. 2) { for (j : 1 .. 3) { n = n + i * j } }; assert(n == 18) }
