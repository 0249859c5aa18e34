/* A channel keeps the order. */
chan c = [3] of { byte };
byte x;
active proctype P() { c!1; c!2; c!3; c?x; assert(x == 1); c!4; c?x; assert(x == 2); c?x; c?x; assert(x == 4) }
