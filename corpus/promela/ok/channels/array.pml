/* Each element of an array of channels is a channel of its own. */
chan c[3] = [1] of { byte };
byte x;
active proctype P() { byte i = 1; c[0]!1; c[i]!2; c[i + 1]!3; c[2]?x; assert(x == 3); c[0]?x; assert(x == 1); assert(len(c[1]) == 1) }
