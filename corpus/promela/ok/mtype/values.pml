/* Members of an mtype are different constants greater than 0. */
mtype = { one, two, three };
mtype m;
active proctype P() { assert(m == 0); m = two; assert(m == two && m != one && m != three && one != three && one != 0) }
