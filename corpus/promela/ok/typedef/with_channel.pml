/* A record may hold a channel. */
typedef Port { chan line; byte used };
Port p[2];
chan c = [1] of { byte };
active proctype P() { byte v; p[1].line = c; p[1].line!4; c?v; assert(v == 4); p[1].used++ }
