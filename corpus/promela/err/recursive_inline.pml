/* An inline that calls itself. */
byte x;
inline loop(n) { x = n; loop(n) }
active proctype P() { loop(1) }
