/* show and local before a declaration change no behaviour. */
show byte x;
local byte y;
active proctype P() { x = 1; y = 2 }
