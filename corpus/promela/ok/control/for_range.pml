/* for (i : a .. b) runs with i = a to b, both included. */
byte i, sum;
active proctype P() { for (i : 1 .. 4) { sum = sum + i }; assert(sum == 10 && i == 5) }
