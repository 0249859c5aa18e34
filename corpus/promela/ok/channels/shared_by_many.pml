/* Several senders and receivers on one channel. */
chan c = [1] of { byte };
byte sum;
active [2] proctype S() { c!_pid + 1 }
active [2] proctype R() { byte v; c?v; atomic { sum = sum + v; v = 0 } }
