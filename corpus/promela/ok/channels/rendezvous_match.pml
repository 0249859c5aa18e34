/* A rendezvous takes place only if the constants of the receiver match. */
chan c = [0] of { byte, byte };
byte v;
active proctype P() { if :: c!1,5 :: c!2,6 fi }
active proctype Q() { c?2,v; assert(v == 6) }
