/* _last is the number of the process that moved last. */
byte x;
active proctype P() { x = 1; assert(_last == 0 || _last == 1) }
active proctype Q() { x == 1; assert(_last <= 1) }
