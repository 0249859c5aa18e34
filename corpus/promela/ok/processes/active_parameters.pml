/* The parameters of an active process are 0. */
active [2] proctype P(byte a; short b) { assert(a == 0 && b == 0); a = 1; b = -1 }
