/* An inline inside atomic and d_step belongs to the block. */
byte x;
inline work(v) { v = v + 1; v = v * 2 }
active proctype P() { atomic { work(x); work(x) }; d_step { work(x); x = x - 1 }; assert(x == 13) }
active proctype Q() { assert(x == 0 || x == 6 || x == 13) }
