/* A rendezvous send inside the main sequence. */
chan c = [0] of { byte };
bool stop; byte v;
active proctype P() { { c!1; c!2 } unless { stop -> skip } }
active proctype Q() { do :: c?v :: stop = true; break od }
