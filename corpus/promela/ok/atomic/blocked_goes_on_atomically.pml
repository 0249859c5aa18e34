/* When the blocked statement becomes executable and the process moves, nobody interrupts the rest. */
byte x, y;
active proctype P() { atomic { x == 1; y = 1; x == 2; y = 2; y = 3 } }
active proctype Q() { x = 1; x = 2; assert(y != 2) }
