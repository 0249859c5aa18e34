/* Two globals of one name. */
byte x;
short x;
active proctype P() { x = 1 }
