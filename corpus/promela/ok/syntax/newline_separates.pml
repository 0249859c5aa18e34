/* Inside a body a line end after a token that can end a statement separates statements. */
byte x, y = 3
active proctype P()
{
    x = 1
    x++
    if
    :: x == 2 -> x = 5
    :: else
    fi
    assert(x == 5)
}
