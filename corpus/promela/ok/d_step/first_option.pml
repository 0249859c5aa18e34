/* Inside d_step an if takes the first executable option, and only that. */
byte x;
active proctype P() { d_step { x = 1; if :: x == 2 -> x = 20 :: x == 1 -> x = 10 :: true -> x = 30 fi } assert(x == 10) }
