/* A receive from an empty channel waits. */
chan c = [1] of { byte };
byte x;
active proctype P() { c!5; c?x; assert(x == 5); c?x }
