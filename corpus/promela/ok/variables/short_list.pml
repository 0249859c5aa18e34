/* A list that is too short goes on with its last value. */
byte b[4] = { 1, 2 };
active proctype P() { assert(b[0] == 1 && b[1] == 2 && b[2] == 2 && b[3] == 2) }
