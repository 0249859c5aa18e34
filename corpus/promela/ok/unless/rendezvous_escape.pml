/* A rendezvous receive as the guard of the escape: executable when a sender stands ready. */
chan c = [0] of { byte };
byte x, v;
active proctype P() { { x = 1; x = 2; x = 3 } unless { c?v; x = v } }
active proctype Q() { c!7 }
