/* Semicolons may end a sequence and stand between statements. */
byte x;
active proctype P() { x = 1; if :: x == 1; x = 2; :: else; fi; { x = 3; }; assert(x == 3); }
