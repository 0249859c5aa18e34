/* A blocked process of high priority does not stop the others. */
byte x;
active proctype Low() priority 1 { x = 1; x = 2 }
active proctype High() priority 5 { x == 1 -> assert(x == 1); x = 5 }
