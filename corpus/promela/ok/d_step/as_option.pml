/* A d_step as an option of a loop: its guard decides. */
byte x;
active proctype P() { do :: d_step { x < 3 -> x++; skip } :: d_step { x == 3 -> x = 100; x = 0 } od }
