/* A process moves only while its provided clause is true. */
byte turn;
active proctype P() provided (turn == 0) { turn = 1; turn = 2; assert(false) }
active proctype Q() provided (turn == 1) { skip; turn = 3 }
