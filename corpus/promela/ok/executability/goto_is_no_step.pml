/* goto moves control without being a transition of its own when it follows another statement. */
byte x;
active proctype P() {
again:
    x = (x + 1) % 4;
    goto again
}
