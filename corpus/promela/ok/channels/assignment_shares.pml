/* Assigning a channel makes two names of one channel. */
chan c = [1] of { byte };
active proctype P() { chan d; byte x; d = c; d!5; assert(len(c) == 1 && c == d); c?x; assert(x == 5 && empty(d)) }
