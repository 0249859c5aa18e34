/* When the main sequence is complete, the escape is gone. */
byte x; bool stop;
active proctype P() { { x = 1 } unless { stop -> x = 10 }; x = 2; x = 3 }
active proctype Q() { x >= 2 -> stop = true }
