/* Sorted send into a channel that is not sorted: before the first greater message. */
chan c = [4] of { byte };
byte x;
active proctype P() { c!5; c!1; c!!3; c?x; assert(x == 3); c?x; assert(x == 5); c?x; assert(x == 1) }
