/* pc_value(p) is the number of the local state of process p; it changes as p moves. */
byte before;
active proctype P() { skip; skip }
active proctype Q() { before = 0; assert(pc_value(0) >= 0) }
