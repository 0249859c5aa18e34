/* break inside the main sequence leaves the loop around unless. */
byte x; bool stop;
active proctype P() { do :: { x++; if :: x == 2 -> break :: else fi } unless { stop -> x = 10; break } od; assert(x == 2 || x == 10) }
active proctype Q() { stop = true }
