/* Variables declared in an inline are local to the call. */
byte sum;
inline add(n) { byte i; i = 0; do :: i < n -> i++; sum++ :: else -> break od }
active proctype P() { add(2); add(3); assert(sum == 5) }
