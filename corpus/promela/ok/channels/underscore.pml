/* _ in a receive takes any value and forgets it. */
chan c = [2] of { byte, byte };
byte y;
active proctype P() { c!1,2; c!3,4; c?_,y; assert(y == 2); c?3,_ }
