/* A declaration with a first value inside a loop is an assignment each time round. */
byte n;
active proctype P() { do :: n < 3 -> byte t = 2; t = t + n; n++; assert(t == n + 1) :: else -> break od }
