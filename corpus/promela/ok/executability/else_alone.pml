/* An if with nothing but else always passes. */
byte x;
active proctype P() { if :: else -> x = 1 fi }
