/* assert is always executable; a false one is an error, and the search goes on behind it. */
byte x;
active proctype P() { assert(x == 1); x = 1; assert(x == 1); x = 2 }
