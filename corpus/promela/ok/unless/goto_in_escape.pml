/* The escape may jump. */
byte x; bool stop;
active proctype P() {
again:
    { x = 1; x = 2 } unless { stop -> stop = false; goto again };
    assert(x == 2)
}
active proctype Q() { stop = true }
