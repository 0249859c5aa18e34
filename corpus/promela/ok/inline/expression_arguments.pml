/* An argument is text: an expression keeps its meaning only in its place. */
byte r;
inline put(e) { r = e }
active proctype P() { put(2 + 3); assert(r == 5); put(r * 2); assert(r == 10) }
