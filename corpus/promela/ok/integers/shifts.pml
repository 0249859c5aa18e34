/* << and >> shift; >> of a negative number keeps the sign. */
int a = 1, b = -8;
active proctype P() { assert(a << 4 == 16); assert(16 >> 2 == 4); assert(b >> 1 == -4); a = a << 31; assert(a < 0) }
