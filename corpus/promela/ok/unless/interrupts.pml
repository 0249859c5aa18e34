/* The escape is looked at before each statement of the main sequence, and takes over if it can. */
byte x; bool stop;
active proctype P() { { x = 1; x = 2; x = 3 } unless { stop -> x = 10 } }
active proctype Q() { stop = true }
