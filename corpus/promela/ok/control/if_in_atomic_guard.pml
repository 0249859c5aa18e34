/* A choice as the first statement of atomic: atomic is executable if the choice is. */
byte x, y;
active proctype P() { atomic { if :: x == 1 -> y = 1 :: x == 2 -> y = 2 fi; y = y + 10 } }
active proctype Q() { x = 1; x = 2 }
