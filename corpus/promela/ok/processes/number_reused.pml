/* After a process has died, its number goes to the next one. */
byte n;
proctype Child() { n++; assert(_pid == 1) }
init { do :: n < 3 -> run Child(); _nr_pr == 1 :: else -> break od }
