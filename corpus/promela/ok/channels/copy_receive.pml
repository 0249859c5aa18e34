/* ?<x> reads the first message and leaves it. */
chan c = [2] of { byte };
byte x;
active proctype P() { c!4; c!5; c?<x>; assert(x == 4 && len(c) == 2); c?x; c?<x>; assert(x == 5); c?<6> }
