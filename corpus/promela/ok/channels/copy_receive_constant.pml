/* A copy receive with a constant is a test. */
chan c = [2] of { byte, byte };
byte y;
active proctype P() { c!1,7; if :: c?<2,y> -> y = 100 :: c?<1,y> -> skip fi; assert(y == 7 && len(c) == 1) }
