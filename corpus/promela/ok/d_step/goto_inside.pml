/* A jump inside d_step to a label in it. */
byte x;
active proctype P() {
    d_step {
        x = 0;
again:  x++;
        if
        :: x < 5 -> goto again
        :: else
        fi
    };
    assert(x == 5)
}
