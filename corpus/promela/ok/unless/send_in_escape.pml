/* A rendezvous send as the guard of the escape: it needs a partner who waits. */
chan c = [0] of { byte };
byte x;
active proctype P() { { x = 1; x = 2; x = 3 } unless { c!1; x = 9 } }
active proctype Q() { byte v; c?v; assert(v == 1) }
