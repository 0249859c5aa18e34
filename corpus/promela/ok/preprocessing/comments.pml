/* Comments of both kinds are blanks. */
byte x; // to the end of the line
active proctype P() { x /* inside an expression */ = 1; // x = 2;
    /* over
       several lines */ assert(x == 1) }
