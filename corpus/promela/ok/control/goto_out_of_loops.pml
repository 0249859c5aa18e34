/* goto leaves several loops at once. */
byte n;
active proctype P() {
    do
    :: do
       :: n < 3 -> n++
       :: n == 3 -> goto out
       od
    od;
out:
    assert(n == 3)
}
