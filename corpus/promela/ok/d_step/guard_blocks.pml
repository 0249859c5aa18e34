/* A d_step is executable if its first statement is. */
byte x;
active proctype P() { d_step { x == 2 -> x = 5; x = 6 } }
active proctype Q() { x++; x++ }
