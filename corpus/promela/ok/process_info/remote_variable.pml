/* P[n]:v is the local variable v of process n. */
active proctype P() { byte v; v = 3; v = 5; end: false }
active proctype Q() { P[0]:v == 5; assert(P[0]:v == 5) }
