/* A line that starts with a minus is a statement of its own: the line end before it separates. */
byte x, y = 3;
active proctype P()
{
    x = y
    -1;
    assert(x == 3)
}
