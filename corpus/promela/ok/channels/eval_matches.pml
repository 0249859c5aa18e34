/* eval(x) in a receive matches the value of x; x itself would be assigned. */
chan c = [2] of { byte };
byte x = 2, y;
active proctype P() { c!1; c!2; y = 1; c?eval(y); c?eval(x); assert(x == 2 && y == 1); c!9; c?x; assert(x == 9) }
