/* Sends and receives on buffered channels inside d_step. */
chan c = [2] of { byte };
byte x;
active proctype P() { d_step { c!3; c!4; c?x }; assert(x == 3 && len(c) == 1) }
