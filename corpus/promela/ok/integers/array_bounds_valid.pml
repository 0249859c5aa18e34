/* Array elements are numbered from 0; an index may be any expression. */
byte a[4], b[2]; byte i = 1;
active proctype P() { a[0] = 1; a[i + 2] = 2; b[i] = 2; a[b[i]] = 3; assert(a[0] == 1 && a[2] == 3 && a[3] == 2); a[b[b[0] + 1] - i] = 7; assert(a[1] == 7) }
