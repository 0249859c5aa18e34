/* run P() priority n. */
byte x;
proctype P(byte v) { x = x * 2 + v }
init { atomic { run P(0) priority 2; run P(1) priority 3 }; skip }
