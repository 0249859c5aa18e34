/* -> and ; mean the same. */
byte x;
active proctype P() { x == 0 -> x = 1 -> x = 2; x == 2 -> skip }
