/* Operands are widened: only the assignment truncates. */
byte a = 200, b = 100; short s;
active proctype P() { assert(a + b == 300); s = a + b; assert(s == 300); assert(b - a == -100); a = a + b; assert(a == 44) }
