/* Arrays of rendezvous channels: only equal elements meet. */
chan c[2] = [0] of { byte };
byte got;
active [2] proctype S() { c[_pid]!_pid + 1 }
active proctype R() { byte v; c[1]?v; got = v; assert(got == 2); c[0]?v; assert(v == 1) }
