/* Only an unfair run makes no progress: the worker can always move. */
byte x, y;
active proctype worker() {
  do
  :: x = 1 - x; progress: skip
  od
}
active proctype other() {
  do
  :: y = 1 - y
  od
}
