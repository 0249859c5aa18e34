/* While the escape is executable, the main sequence is not. */
byte x; bool stop = true;
active proctype P() { { x = 1; x = 2 } unless { stop -> skip }; assert(x == 0) }
