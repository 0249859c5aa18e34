/* _nr_pr as a guard: wait until the children are gone. */
byte n;
proctype C() { n++ }
init { atomic { run C(); run C(); run C() }; _nr_pr == 1 -> assert(n == 3) }
