/* set_priority changes a priority while running. */
byte x;
active proctype A() priority 2 { x = 1; set_priority(_pid, 1); x = 2 }
active proctype B() priority 2 { assert(x <= 1 || x == 2); x = 4 }
