/* An option may be a single guard. */
byte x;
active proctype P() { if :: x == 0 :: x == 1 fi; x = 5; do :: x == 5 -> break od }
