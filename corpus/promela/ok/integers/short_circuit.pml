/* && and || do not look at the right side if the left side decides. */
byte a[2]; byte i = 9;
active proctype P() { assert(!(i < 2 && a[i] == 0)); assert(i >= 2 || a[i] == 1); a[0] = 1 }
