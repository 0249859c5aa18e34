/* A channel declared in a process is made anew for each process. */
byte n;
active [2] proctype P() { chan c = [1] of { byte }; byte v; c!_pid; c?v; assert(v == _pid); n++ }
