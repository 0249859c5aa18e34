/* !! puts the message before the first greater one. */
chan c = [4] of { byte };
byte x;
active proctype P() { c!!3; c!!1; c!!2; c!!2; c?x; assert(x == 1); c?x; c?x; assert(x == 2); c?x; assert(x == 3) }
