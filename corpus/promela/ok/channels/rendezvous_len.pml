/* A rendezvous channel is always empty and always full. */
chan c = [0] of { byte };
active proctype P() { assert(len(c) == 0); assert(empty(c)) }
