/* Sender and receiver both stand in the middle of atomic. */
chan c = [0] of { byte };
byte x, y;
active proctype R() { byte v; atomic { x = 1; c?v; x = 2; x = 3 } }
active proctype S() { atomic { y = 1; c!5; y = 2; y = 3 } }
active proctype W() { assert(x != 2 && y != 2) }
