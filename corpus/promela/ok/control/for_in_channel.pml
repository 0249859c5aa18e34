/* for (m in c) runs over the messages of the channel, which keeps them. */
typedef Msg { byte v };
chan c = [3] of { Msg };
byte sum;
active proctype P() { Msg m; m.v = 3; c!m; m.v = 4; c!m; for (m in c) { sum = sum + m.v }; assert(sum == 7 && len(c) == 2) }
