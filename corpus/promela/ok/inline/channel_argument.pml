/* A channel and an array element as arguments. */
chan c[2] = [1] of { byte };
byte a[2];
inline move(to, line, v) { line!v; line?to }
active proctype P() { move(a[1], c[0], 5); move(a[0], c[1], a[1] + 1); assert(a[0] == 6 && a[1] == 5) }
