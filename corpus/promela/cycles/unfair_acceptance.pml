/* The accepting cycle keeps out a process that can always move and that would end it. */
bool done;
active proctype looper() {
  do
  :: !done -> accept: skip
  :: done -> break
  od
}
active proctype ender() {
  done = true
}
