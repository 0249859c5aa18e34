/* A loop inside atomic is not interrupted. */
byte x, i;
active proctype P() { atomic { do :: i < 4 -> i++; x = x + i :: else -> break od } }
active proctype Q() { assert(x == 0 || x == 10) }
