/* c!a(b,d) and c?a(b,d) are c!a,b,d and c?a,b,d. */
mtype = { data, ack };
chan c = [1] of { mtype, byte, byte };
byte x, y;
active proctype P() { c!data(1, 2); c?data(x, y); assert(x == 1 && y == 2); c!ack,3,4; c?ack(x, 4) }
