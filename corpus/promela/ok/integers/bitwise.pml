/* & | ^ and ~ work on the bits. */
byte a = 12, b = 10;
active proctype P() { assert((a & b) == 8); assert((a | b) == 14); assert((a ^ b) == 6); assert(~a == -13); a = ~a; assert(a == 243) }
