/* An unless around a whole loop gives up the loop. */
byte n; bool stop;
active proctype P() { { do :: n = (n + 1) % 3 od } unless { stop }; assert(stop) }
active proctype Q() { stop = true }
