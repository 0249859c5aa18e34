/* A jump into the middle of a d_step. */
byte x;
active proctype P()
{
    if
    :: x == 0 -> goto inside
    :: else
    fi;
    d_step {
        x = 1;
inside: x = 2
    }
}
