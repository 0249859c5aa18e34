/* A d_step inside atomic. */
byte x;
active proctype P() { atomic { x = 1; d_step { x = 2; x = 3 }; x = 4 } }
active proctype Q() { assert(x == 0 || x == 4) }
