/* * / % bind stronger than + -, then shifts, comparisons, equality, &, ^, |, &&, ||. */
active proctype P() {
    assert(1 + 2 * 3 == 7); assert(10 - 4 - 3 == 3); assert(100 / 10 / 5 == 2); assert(1 << 1 + 1 == 4); assert(2 + 7 % 4 * 2 == 8);
    assert((5 & 3 == 3) == 1); assert((1 | 2 ^ 3 & 1) == 3); assert(1 || 0 && 0); assert(!0 == 1); assert(3 > 2 == 1); assert(1 < 2 && 2 < 3); assert(-2 + 5 == 3)
}
