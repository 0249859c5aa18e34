/* The arguments of an inline stand for its parameters, also on the left of an assignment. */
byte a = 1, b = 2;
inline swap(x, y) { t = x; x = y; y = t }
active proctype P() { byte t; swap(a, b); assert(a == 2 && b == 1) }
