/* D_proctype is a proctype whose author promises determinism. */
byte x;
active D_proctype P() { x = 1; x = 2 }
