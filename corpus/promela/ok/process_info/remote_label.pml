/* P[n]@l is true when process n of type P stands at label l. */
bool sent;
active proctype P() { skip; wait: sent; skip }
active proctype Q() { P[0]@wait; sent = true; !P[0]@wait; assert(!P[0]@wait) }
