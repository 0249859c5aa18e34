/* A declaration with a first value in the middle of a body is an assignment: a step. */
byte g;
active proctype P() { g = 3; byte x = 5; assert(x == 5); g = x }
