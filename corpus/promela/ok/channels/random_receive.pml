/* ?? takes the first message that matches, wherever it stands. */
chan c = [3] of { byte, byte };
byte y;
active proctype P() { c!1,10; c!2,20; c!2,30; c??2,y; assert(y == 20); c??2,y; assert(y == 30); assert(len(c) == 1); c?1,y; assert(y == 10) }
