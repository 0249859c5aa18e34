/* Whoever takes part in a hand-shake has moved: the receiver need not take its other way. */
chan c = [0] of { bit };
bit other;
active proctype sender() {
  do
  :: c ! 1
  od
}
active proctype receiver() {
  do
  :: c ? _
  :: other = 1
  od
}
ltl taken { <> (other == 1) }
