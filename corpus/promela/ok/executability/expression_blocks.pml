/* An expression as a statement waits until it is not 0. */
byte x;
active proctype Waiter() { x == 2; x = 7 }
active proctype Setter() { x = 1; x = 2 }
