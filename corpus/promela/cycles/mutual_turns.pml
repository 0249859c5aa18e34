/* Peterson's algorithm: who wants in gets in, if everyone keeps going. */
bool flag[2], turn;
byte in;
active [2] proctype user() {
  do
  :: flag[_pid] = true;
     turn = 1 - _pid;
     !flag[1 - _pid] || turn == _pid;
     progress: in = _pid + 1;
     in = 0;
     flag[_pid] = false
  od
}
ltl first_gets_in { [] (flag[0] -> <> (in == 1)) }
ltl never_both_idle { []<> (in != 0) }
