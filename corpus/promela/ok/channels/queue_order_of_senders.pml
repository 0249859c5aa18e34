/* Messages of two senders interleave in every order. */
chan c = [4] of { byte };
active [2] proctype S() { c!_pid * 10 + 1; c!_pid * 10 + 2 }
