/* Fields of different types. */
mtype = { red, blue };
chan c = [1] of { mtype, bool, int };
active proctype P() { mtype m; bool b; int i; c!blue,true,-70000; c?m,b,i; assert(m == blue && b && i == -70000) }
