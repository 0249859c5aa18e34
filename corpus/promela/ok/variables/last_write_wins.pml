/* Two processes without protection: every interleaving is explored. */
byte x;
active proctype C() { _nr_pr == 1; assert(x == 2) }
active [2] proctype P() { byte t; t = x; x = t + 1 }
