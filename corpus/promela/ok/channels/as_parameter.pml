/* A channel may be a parameter. */
chan a = [1] of { byte };
chan b = [1] of { byte };
proctype Copy(chan from; chan to) { byte v; from?v; to!v + 1 }
init { byte x; run Copy(a, b); a!1; b?x; assert(x == 2) }
