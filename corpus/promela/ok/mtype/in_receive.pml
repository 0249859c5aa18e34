/* A member in a receive is matched, not assigned. */
mtype = { ping, pong };
chan c = [2] of { mtype };
active proctype P() { c!pong; c!ping; c??ping; c?pong; assert(empty(c)) }
