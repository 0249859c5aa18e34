/* A send to a buffered channel does not give control away. */
chan c = [1] of { byte };
byte x;
active proctype A() { atomic { c!1; x = 1; x = 0 } }
active proctype B() { byte v; c?v; assert(x == 0) }
