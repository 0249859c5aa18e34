/* break leaves the innermost loop. */
byte i, j;
active proctype P() { do :: i < 2 -> i++; do :: j < i -> j++ :: else -> break od :: else -> break od; assert(i == 2 && j == 2) }
