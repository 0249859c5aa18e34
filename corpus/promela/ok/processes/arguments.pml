/* Arguments are passed by value, in order, with the conversion of an assignment. */
byte seen;
proctype Child(byte a; bit b; short c) { assert(a == 255 && b == 1 && c == -5); a = 1; seen = a }
init { byte v = 255; run Child(v, 3, -5); seen == 1; assert(v == 255) }
