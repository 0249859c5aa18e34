/* The accepting label is passed once; the cycle comes later. */
byte x;
active proctype walker() {
  accept: x = 1;
  do
  :: x = 2
  :: x = 3
  od
}
