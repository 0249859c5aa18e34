/* bit and bool keep the lowest bit. */
bit b; bool c;
active proctype P() { b = 2; assert(b == 0); b = 3; assert(b == 1); c = 4; assert(!c); c = 5; assert(c == true); b = b + 1; assert(b == 0) }
