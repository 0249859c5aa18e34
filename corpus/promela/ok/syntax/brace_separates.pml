/* After a closing brace no separator is needed. */
byte x;
active proctype P() { atomic { x++; x++ } x = x + 1; { x++ } d_step { x++; x++ } assert(x == 6) }
