/* An atomic sequence inside another changes nothing. */
byte x;
active proctype P() { atomic { x = 1; atomic { x = 2; x = 3 }; x = 4 } }
active proctype Q() { assert(x == 0 || x == 4) }
