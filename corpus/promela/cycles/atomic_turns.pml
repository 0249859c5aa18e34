/* Atomic sequences are steps like others for the scheduler. */
byte a, b;
active proctype first() {
  do
  :: atomic { a = 1; a = 0; a = 2 }
  :: a = 0
  od
}
active proctype second() {
  do
  :: atomic { b = 1 - b; skip }
  od
}
ltl second_moves { []<> (b == 1) && []<> (b == 0) }
ltl first_moves { []<> (a == 2) }
