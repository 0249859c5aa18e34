/* A claim as written that only an unfair run satisfies, and a hand-shake that keeps two busy meanwhile. */
chan c = [0] of { bit };
bit done;

active proctype sender() {
  do
  :: c!0
  :: c!1
  od
}

active proctype receiver() {
  bit b;
  do
  :: c?b
  od
}

active proctype worker() {
  do
  :: done = 1
  od
}

never {
accept:
  do
  :: !done
  od
}
