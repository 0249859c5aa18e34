/* break leaves a for loop. */
byte i;
active proctype P() { for (i : 0 .. 9) { if :: i == 3 -> break :: else fi }; assert(i == 3) }
