/* Control passes from process to process along rendezvous that lie inside atomic. */
chan c = [0] of { byte };
chan d = [0] of { byte };
byte x;
active proctype A() { atomic { x = 1; c!1 } }
active proctype B() { byte v; atomic { c?v; x = 2; d!v } }
active proctype C() { byte v; atomic { d?v; x = 3; x = 4 } }
active proctype Watcher() { assert(x == 0 || x == 4) }
