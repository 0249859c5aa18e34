/* select (i : a .. b) gives i any value from a to b. */
byte i;
active proctype P() { select (i : 1 .. 3); assert(i >= 1 && i <= 3) }
