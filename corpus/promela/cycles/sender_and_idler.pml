/* An idler that can always move, beside a sender: without fairness the idler may have it all. */
byte sent;
chan c = [1] of { bit };
active proctype sender() {
  do
  :: c ! 1; progress: sent = 1 - sent
  od
}
active proctype receiver() {
  do
  :: c ? _
  od
}
active proctype idler() {
  bool spin;
  do
  :: spin = !spin
  od
}
ltl again { []<> (sent == 1) }
ltl once { <> (sent == 1) }
