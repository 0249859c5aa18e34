/* An assignment is always executable and is one transition. */
byte x;
active [2] proctype P() { x = x + 1; x = x * 2 }
