/* eval(_pid) receives what is addressed to this process. */
chan c = [2] of { pid, byte };
byte got[3];
active proctype S() { c!2,12; c!1,11; _nr_pr == 1; assert(got[1] == 11 && got[2] == 12) }
active [2] proctype P() { byte v; c??eval(_pid),v; got[_pid] = v }
