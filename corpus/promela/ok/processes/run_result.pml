/* run has the value of the new process number and may be assigned. */
pid p, q;
proctype Child() { skip }
init { p = run Child(); q = run Child(); assert(p == 1); assert(q == 2 || q == 1) }
