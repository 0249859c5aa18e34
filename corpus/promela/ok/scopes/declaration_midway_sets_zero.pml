/* A declaration without a first value, in the middle of a body, sets the variable to 0: a step, each time round. */
byte n;
active proctype P() { do :: n < 2 -> { byte t; t++; n++; assert(t == 1) } :: else -> break od }
