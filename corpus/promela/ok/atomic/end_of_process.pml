/* The end of the process behind atomic is a transition of its own. */
byte x;
active proctype Q() { _nr_pr == 1; assert(x == 2) }
active proctype P() { atomic { x = 1; x = 2 } }
