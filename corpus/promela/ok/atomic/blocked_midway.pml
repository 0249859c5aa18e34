/* A statement that blocks inside atomic lets the others go on; atomicity comes back with it. */
byte x, y;
active proctype P() { atomic { y = 1; x == 1; y = 2; y = 3 } }
active proctype Q() { y == 1 -> assert(y == 1); x = 1; assert(y != 2); skip }
