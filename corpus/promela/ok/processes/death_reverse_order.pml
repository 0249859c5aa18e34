/* A process ends only after all processes that were started after it: the youngest first. */
byte x;
active proctype Old() { x = 1 }
active proctype Young() { x == 1; x = 2; x = 3 }
