/* A jump out of atomic ends it. */
byte x;
active proctype P() {
    atomic { x = 1; goto out; x = 5 };
out:
    x = 2;
    x = 3
}
active proctype Q() { assert(x != 5) }
