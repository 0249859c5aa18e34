/* The same name in two blocks: two variables. */
active proctype P() { { byte x; x = 5 }; { byte x; assert(x == 0); x = 6 } }
