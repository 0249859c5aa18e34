/* The first field often names the kind of message. */
mtype = { request, reply };
chan c = [2] of { mtype, byte };
byte v;
active proctype Client() { c!request(4); c??reply(v); assert(v == 5) }
active proctype Server() { byte w; c??request(w); c!reply(w + 1) }
