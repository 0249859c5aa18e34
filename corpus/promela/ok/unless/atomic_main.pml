/* The escape is looked at before each statement of an atomic main sequence too. */
byte x; bool stop;
active proctype P() { { atomic { x = 1; x = 2; x = 3 } } unless { x == 2 -> x = 10 }; assert(x == 10) }
active proctype Q() { stop = true }
