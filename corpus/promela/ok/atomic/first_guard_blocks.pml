/* An atomic sequence is executable if its first statement is. */
byte x;
active proctype P() { atomic { x == 1 -> x = 2; x = 3 } }
active proctype Q() { assert(x != 2); x = 1; assert(x != 2) }
