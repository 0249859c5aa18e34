/* A d_step behind a rendezvous inside atomic. */
chan c = [0] of { byte };
byte x;
active proctype S() { atomic { c!1; x++ } }
active proctype R() { byte v; atomic { c?v; d_step { x = 10; x = 20 }; x = x + v } }
