/* if without an executable option and without else blocks. */
byte x;
active proctype P() { if :: x == 1 :: x == 2 fi }
