/* The escape gets a process out of a statement that blocks. */
byte x;
active proctype P() { { false } unless { x == 1 -> x = 2 } }
active proctype Q() { x = 1 }
