/* A sender may meet a receiver inside a main sequence although the receiver's escape is executable. */
chan c = [0] of { byte };
bool stop = true; byte v;
active proctype P() { { c?v } unless { stop -> v = 5 }; assert(v == 5) }
active proctype Q() { if :: c!1 :: timeout fi }
