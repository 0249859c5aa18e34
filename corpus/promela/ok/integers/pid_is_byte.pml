/* pid holds 0 .. 255. */
pid p;
active proctype P() { p = 256; assert(p == 0); p = 255; p++; assert(p == 0) }
