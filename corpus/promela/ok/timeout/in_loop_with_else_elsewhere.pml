/* timeout means that nobody can move: an else that is executable counts as a move. */
byte x;
active proctype A() { timeout -> assert(x == 3) }
active proctype B() { do :: x < 3 -> x++ :: else -> break od }
