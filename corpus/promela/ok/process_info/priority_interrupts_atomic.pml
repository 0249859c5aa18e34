/* A process of higher priority that becomes executable interrupts even an atomic sequence. */
byte x;
active proctype Low() priority 1 { atomic { x = 1; x = 2; x = 3 } }
active proctype High() priority 5 { x == 1 -> assert(x == 1); x = 7 }
