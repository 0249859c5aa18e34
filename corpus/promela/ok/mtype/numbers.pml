/* The members are numbered from the last to the first, starting with 1. */
mtype = { a, b, c };
active proctype P() { byte x; x = a; assert(x == 3); x = b; assert(x == 2); x = c; assert(x == 1) }
