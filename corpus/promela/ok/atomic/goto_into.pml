/* A jump into atomic enters it: from there on nobody interrupts. */
byte x, n;
active proctype P() {
    goto middle;
    atomic {
        x = 1;
middle: x = 2;
        x = 3
    }
}
active proctype Q() { assert(x != 2) }
