/* A process that can move only now and then may wait for ever: fairness is weak. */
bool open, passed;
active proctype door() {
  do
  :: open = true; open = false
  od
}
active proctype guest() {
  open -> passed = true
}
ltl passes { <> passed }
ltl opens { []<> open }
