/* One way round passes the accepting label, the other does not. */
byte x;
active proctype walker() {
  do
  :: x = 1
  :: x = 2; accept: x = 3
  od
}
active proctype other() {
  x = 4
}
