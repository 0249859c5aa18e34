/* All branches of a choice inside atomic are explored. */
byte x;
active proctype P() { atomic { if :: x = 1 :: x = 2 :: x = 3 fi; x = x * 2 } }
active proctype Q() { assert(x != 1 && x != 3) }
