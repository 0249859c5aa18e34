/* The width of an unsigned must be a constant. */
byte n = 3;
unsigned x : n;
active proctype P() { x = 1 }
