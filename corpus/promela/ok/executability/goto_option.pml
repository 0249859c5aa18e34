/* goto as the only statement of an option is a transition. */
byte x;
active proctype P() {
    do
    :: x < 2 -> x++
    :: x == 2 -> goto out
    :: goto out
    od;
    x = 50;
out:
    assert(x <= 2)
}
