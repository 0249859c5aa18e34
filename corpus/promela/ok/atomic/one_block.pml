/* Nobody moves between the statements of an atomic sequence. */
byte x;
active [2] proctype P() { atomic { x++; assert(x == 1); x-- } }
