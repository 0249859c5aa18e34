/* A jump from one atomic sequence into another does not give up control. */
byte x;
active proctype P() {
    atomic { x = 1; goto second };
    x = 9;
    atomic {
        x = 8;
second: x = 2;
        x = 3
    }
}
active proctype Q() { assert(x == 0 || x == 3) }
