/* Processes of equal priority interleave. */
byte x;
active [2] proctype P() priority 4 { x++; x++ }
active proctype Low() priority 2 { assert(x == 4) }
