/* A receive as the guard of the escape. */
chan c = [1] of { byte };
byte x, v;
active proctype P() { { do :: x = (x + 1) % 3 od } unless { c?v -> assert(v == 5) } }
active proctype Q() { c!5 }
