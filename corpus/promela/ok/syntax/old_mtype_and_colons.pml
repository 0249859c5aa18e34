/* A proctype with separators behind it, an mtype without =. */
mtype { a, b };
byte x;
active proctype P() { x = a; assert(x == 2) };
active proctype Q() { skip }
