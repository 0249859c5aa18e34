/* An option is a sequence: only its first statement decides. */
byte x;
active proctype P() { if :: x == 0; x = 1; x == 1; x = 2 :: x == 5; x = 6 fi; assert(x == 2) }
