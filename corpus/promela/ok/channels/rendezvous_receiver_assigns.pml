/* The receiver's variables are assigned in the same transition as the send. */
chan c = [0] of { byte };
byte x;
active proctype P() { c!5; assert(x == 5) }
active proctype Q() { c?x }
