/* A pid has room for more than 255 processes. */
pid p;
active proctype P() { p = 256; assert(p == 256); p = 255; p++; assert(p == 256) }
