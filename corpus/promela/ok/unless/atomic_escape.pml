/* An atomic escape. */
byte x; bool stop;
active proctype P() { { x = 1; x = 2 } unless { atomic { stop -> x = 10; x = 11 } }; assert(x != 10) }
active proctype Q() { stop = true; assert(x != 10) }
