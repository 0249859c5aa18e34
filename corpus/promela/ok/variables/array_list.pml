/* An array may be given a list of first values. */
byte a[3] = { 1, 2, 3 };
active proctype P() { short b[2] = { 9, 5 }; assert(a[0] == 1 && a[1] == 2 && a[2] == 3 && b[0] == 9 && b[1] == 5) }
