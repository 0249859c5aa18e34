/* short keeps 16 bits with sign. */
short s = 32767;
active proctype P() { s = s + 1; assert(s == -32768); s = s - 1; assert(s == 32767); s = 65535; assert(s == -1); s = 65536 + 7; assert(s == 7) }
