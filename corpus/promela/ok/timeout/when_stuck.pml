/* timeout is true only if no other statement of the whole system is executable. */
byte x;
active proctype Counter() { do :: x < 2 -> x++ :: x == 5 -> break od }
active proctype Watchdog() { timeout -> assert(x == 2); x = 5 }
