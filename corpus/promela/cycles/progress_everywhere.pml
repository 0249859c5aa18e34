/* Every cycle passes a progress label. */
byte turn;
active [2] proctype player() {
  do
  :: turn == _pid -> progress: turn = 1 - _pid
  od
}
