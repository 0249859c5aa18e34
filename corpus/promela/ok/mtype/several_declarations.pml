/* Later declarations of mtype go on counting. */
mtype = { a, b };
mtype = { c, d };
active proctype P() { assert(a != c && a != d && b != c && b != d && c != d) }
