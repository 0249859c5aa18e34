/* Once the escape has begun, the main sequence never comes back. */
byte x; bool stop;
active proctype P() { { x = 1; x = 2 } unless { stop -> stop = false; x = 10; x = 11 }; assert(x == 2 || x == 11) }
active proctype Q() { stop = true }
