/* An escape that is never executable changes nothing. */
byte x;
active proctype P() { { x = 1; x = 2 } unless { x == 9 -> x = 10 }; assert(x == 2) }
