/* If the escapes of two nested unless are executable at once, the outer one goes first. */
byte x; bool go = true;
active proctype P() { { { x = 1 } unless { go -> x = 10; x = 11 } } unless { go -> assert(x == 0); x = 20 } }
