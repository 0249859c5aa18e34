/* A step by time-out is a step of its process. */
byte x, y;
active proctype waiter() {
  do
  :: timeout -> x = 1 - x
  od
}
active proctype other() {
  do
  :: y < 2 -> y = y + 1
  od
}
ltl waits { []<> (x == 1) }
