/* The bounds of for may be expressions. */
byte lo = 2, i, n;
active proctype P() { for (i : lo .. lo * 2) { n = n + i }; assert(n == 9) }
