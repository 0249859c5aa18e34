/* A d_step inside unless is one step: the escape is looked at before it, not inside. */
byte x;
active proctype P() { { d_step { x = 1; x = 2; x = 3 }; x = 4 } unless { x == 2 || x == 3 -> assert(x == 3); x = 10 }; assert(x == 10) }
