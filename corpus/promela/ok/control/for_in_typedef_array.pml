/* for over an array inside a record. */
typedef Box { byte a[3] };
Box b; byte i, n;
active proctype P() { b.a[2] = 4; for (i : 0 .. 2) { n = n + b.a[i] }; assert(n == 4) }
