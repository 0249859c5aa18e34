/* Any value other than 0, also a negative one, lets an expression statement pass. */
int x = -3;
active proctype P() { x; x + 3 }
