/* Each run makes a fresh process with fresh locals. */
byte total;
proctype Child(byte n) { byte v; v = v + n; total = total + v }
init { byte i; do :: i < 2 -> run Child(i + 1); i++ :: else -> break od; _nr_pr == 1; assert(total == 3) }
