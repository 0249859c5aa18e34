/* A receive in the middle of atomic: blocked at first; after the rendezvous the receiver has control again. */
chan c = [0] of { byte };
byte x;
active proctype R() { byte v; atomic { x = 1; c?v; x = 2; x = 3 } }
active proctype S() { x == 1; c!5; assert(x != 2) }
