/* A statement may follow else directly. */
byte x = 2;
active proctype P() { if :: x == 1 -> x = 5 :: else x = 6 fi; assert(x == 6) }
