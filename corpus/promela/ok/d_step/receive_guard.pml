/* A receive as the guard of a d_step. */
chan c = [1] of { byte };
byte x, y;
active proctype P() { d_step { c?x -> y = x; x = 0 }; assert(y == 7) }
active proctype Q() { c!7 }
