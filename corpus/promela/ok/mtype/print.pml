/* printm and %e print the name. */
mtype = { hello };
mtype m = hello;
active proctype P() { printm(m); printf("%e\n", m) }
