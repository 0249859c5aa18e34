/* Capacity 0: send and receive happen together, as one transition. */
chan c = [0] of { byte };
byte x;
active proctype P() { x = 1; c!7; x = 2 }
active proctype Q() { byte v; c?v; assert(v == 7) }
