/* A loop inside d_step runs to its end within the one transition. */
byte i, sum;
active proctype P() { d_step { i = 1; do :: i <= 5 -> sum = sum + i; i++ :: else -> break od }; assert(sum == 15) }
