/* Labels may stand before and behind the jump. */
byte n;
active proctype P() {
    goto start;
back:
    n = n + 10;
    goto finish;
start:
    n = 1;
    goto back;
finish:
    assert(n == 11)
}
