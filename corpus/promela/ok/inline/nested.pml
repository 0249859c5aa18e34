/* An inline may call another one. */
byte x;
inline inc(v) { v++ }
inline twice(v) { inc(v); inc(v) }
active proctype P() { twice(x); twice(x); assert(x == 4) }
