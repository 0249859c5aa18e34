/* select with expressions as bounds. */
byte n = 2, i;
active proctype P() { select (i : n .. n + 2); assert(i >= 2 && i <= 4) }
