/* for (i in a) runs over the indices of the array. */
byte a[3] = 2; byte i, sum;
active proctype P() { for (i in a) { sum = sum + a[i] + i }; assert(sum == 9) }
