/* A label may stand before if, do, atomic and a block. */
byte x;
active proctype P() {
l1: if :: x < 2 -> x++; goto l1 :: else fi;
l2: atomic { x++; x++ };
l3: { x++; if :: x == 5 -> goto l3 :: else fi };
    assert(x == 6)
}
