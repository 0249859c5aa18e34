/* A claim as written that a fair run satisfies: whoever waits for the hand-shake cannot move by itself. */
chan c = [0] of { bit };
bit done;

active proctype sender() {
  do
  :: done == 2 -> c!0
  :: done < 2 -> skip
  od
}

active proctype receiver() {
  bit b;
  do
  :: c?b -> done = 1
  od
}

never {
  do
  :: true
  :: done == 0 -> break
  od;
accept:
  do
  :: done == 0
  od
}
