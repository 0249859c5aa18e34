/* An if as the first statement of an option: the option is executable if one of its options is. */
byte x = 1;
active proctype P() { if :: if :: x == 1 -> x = 10 :: x == 2 -> x = 20 fi; x++ :: x == 3 -> x = 30 fi; assert(x == 11) }
