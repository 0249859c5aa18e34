/* A first value at the head of a body is computed when the process starts: no step. */
byte g = 3;
active proctype P() { byte x = g + 1; assert(x == 4); x = 0 }
active proctype Q() { g = 7 }
