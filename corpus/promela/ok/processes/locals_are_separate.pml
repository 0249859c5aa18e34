/* Each process has its own local variables. */
byte done;
active [2] proctype P() { byte x; x = x + _pid + 1; assert(x == _pid + 1); done++ }
