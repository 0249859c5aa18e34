/* A record as a message field is sent whole. */
typedef Msg { byte kind; byte body[2] };
chan c = [1] of { byte, Msg };
active proctype P() { Msg m, n; byte i; m.kind = 1; m.body[0] = 2; m.body[1] = 3; c!9,m; m.kind = 0; c?i,n; assert(i == 9 && n.kind == 1 && n.body[0] == 2 && n.body[1] == 3) }
