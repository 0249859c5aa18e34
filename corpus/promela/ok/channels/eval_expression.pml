/* eval may hold any expression. */
chan c = [1] of { byte };
byte x = 2;
active proctype P() { c!5; c?eval(x * 2 + 1); c!6; c?eval(x + 1) }
