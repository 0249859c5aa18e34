/* A message field truncates like a variable of its type. */
chan c = [1] of { byte, bit, short };
active proctype P() { int x, y, z; c!257,3,65535; c?x,y,z; assert(x == 1 && y == 1 && z == -1) }
