/* for over an empty range does not run its body. */
byte lo = 3, hi = 2, i, n;
active proctype P() { for (i : lo .. hi) { n++ }; assert(n == 0) }
