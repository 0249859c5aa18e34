/* A line end inside parentheses, or behind an operator, separates nothing. */
byte x, y = 3;
active proctype P()
{
    x = y +
        1;
    assert(x == 4
        && y == 3);
    (x == 4
     || y == 9)
}
