/* init is process 0; run starts processes and their numbers count up. */
byte a;
proctype P(byte v) { a = a + v; assert(_pid == 1 || _pid == 2) }
init { assert(_pid == 0); run P(1); run P(2) }
