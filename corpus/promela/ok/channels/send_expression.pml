/* Fields of a send are expressions, evaluated when it is executed. */
chan c = [1] of { byte, byte };
byte x = 2, y;
active proctype P() { c!x * 3,(x > 1 -> 7 : 8); x = 0; c?x,y; assert(x == 6 && y == 7) }
