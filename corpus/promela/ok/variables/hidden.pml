/* A hidden variable is not part of the state. */
hidden byte scratch;
byte x;
active proctype P() { do :: scratch = 1; x = (x + 1) % 3; scratch = 0 od }
