/* Runs that end or block are no cycles without progress. */
byte x;
active proctype ending() {
  progress: x = 1;
  x = 2
}
active proctype blocking() {
  x == 2;
  x == 7
}
