/* ??<x> reads the first message that matches and leaves it. */
chan c = [2] of { byte, byte };
byte x;
active proctype P() { c!1,4; c!2,5; c??<2,x>; assert(x == 5 && len(c) == 2); c??2,x; assert(len(c) == 1) }
