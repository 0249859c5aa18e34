/* run as a condition is true, and starts the process. */
byte n;
proctype Child() { n++ }
init { (run Child()) -> n = n + 10 }
