/* select inside atomic. */
byte i, x;
active proctype P() { atomic { select (i : 0 .. 2); x = i; i = 0 } }
active proctype Q() { assert(i == 0) }
