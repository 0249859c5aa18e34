/* !! and ?? on a rendezvous channel are ! and ?. */
chan c = [0] of { byte };
byte x;
active proctype P() { c!!3 }
active proctype Q() { c??x; assert(x == 3) }
