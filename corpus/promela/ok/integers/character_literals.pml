/* A character stands for its code. */
byte c = 'a';
active proctype P() { assert(c == 97); c++; assert(c == 'b'); assert('\n' == 10) }
