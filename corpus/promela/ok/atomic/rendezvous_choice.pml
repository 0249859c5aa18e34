/* A rendezvous sent from atomic with two possible receivers, one in atomic and one not. */
chan c = [0] of { byte };
byte x;
active proctype S() { atomic { c!1; x = x + 100 } }
active proctype A() { byte v; atomic { c?v; x = 1; x = 2 } }
active proctype B() { byte v; c?v; x = 3; x = 4 }
