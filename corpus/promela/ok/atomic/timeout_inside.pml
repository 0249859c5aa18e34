/* timeout as a guard inside atomic. */
byte x;
active proctype A() { atomic { x == 1 || timeout -> x = 5; x = 6 } }
active proctype B() { skip; skip }
