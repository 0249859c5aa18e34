/* Arguments are evaluated when run is executed. */
byte g = 1, seen;
proctype Child(byte v) { seen = v }
init { atomic { run Child(g + 1); g = 7 }; seen != 0; assert(seen == 2) }
