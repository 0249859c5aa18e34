/* More than 255 processes. */
proctype P() { end: false }
init {
  short n;
  do
  :: n < 300 -> run P(); n++
  :: else -> break
  od;
  assert(_nr_pr == 301)
}
