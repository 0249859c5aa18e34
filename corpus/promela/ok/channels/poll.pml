/* c?[...] asks whether the receive would be executable and changes nothing. */
chan c = [2] of { byte, byte };
byte x;
active proctype P() { assert(!c?[1,x]); c!1,5; c!2,6; assert(c?[1,x] && x == 0); assert(!c?[2,x]); assert(c??[2,x]); assert(c?[_,_]); assert(len(c) == 2) }
