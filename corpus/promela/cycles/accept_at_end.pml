/* A run that stops at an accepting label stays there for ever. */
byte x;
active proctype walker() {
  x = 1;
  accept: end: false
}
