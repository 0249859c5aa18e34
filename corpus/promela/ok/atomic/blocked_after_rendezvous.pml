/* The receiver got control and blocks inside its atomic: everybody may move. */
chan c = [0] of { byte };
byte x; bool go;
active proctype A() { atomic { c!1; x = 1 } }
active proctype B() { byte v; atomic { c?v; go; x = 2; x = 3 } }
active proctype C() { go = true; assert(x != 2) }
