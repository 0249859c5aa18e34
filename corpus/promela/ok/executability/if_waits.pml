/* if waits until one of its options is executable. */
byte x;
active proctype P() { if :: x == 1 -> x = 10 :: x == 2 -> x = 20 fi }
active proctype Q() { x = 2 }
