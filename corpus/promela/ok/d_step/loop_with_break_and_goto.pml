/* Loops with break nested inside one d_step. */
byte i, j, n;
active proctype P() {
    d_step {
        i = 0;
        do
        :: i == 3 -> break
        :: else ->
           j = 0;
           do :: j == i -> break :: else -> j++; n++ od;
           i++
        od
    };
    assert(n == 3)
}
