/* When nothing else can move, every timeout can. */
byte x;
active [2] proctype Watchdog() { timeout -> x++ }
