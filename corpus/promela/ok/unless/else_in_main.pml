/* else inside the main sequence looks at its own options only. */
byte x; bool stop;
active proctype P() { { if :: x == 1 -> x = 5 :: else -> x = 6 fi } unless { stop -> x = 10 } }
active proctype Q() { stop = true }
