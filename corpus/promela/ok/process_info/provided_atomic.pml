/* The provided clause is looked at before every statement, also in atomic. */
bool go = true;
byte x;
active proctype P() provided (go) { atomic { x = 1; go = false; x = 2 } }
active proctype Q() { !go; assert(x == 1); go = true; x == 2 }
