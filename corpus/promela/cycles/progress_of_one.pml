/* Progress of one process is no progress of the other. */
byte x;
active proctype busy() {
  do
  :: x = 1 - x
  od
}
active proctype maker() {
  byte n;
  do
  :: n < 3 -> progress: n = n + 1
  :: else -> break
  od
}
