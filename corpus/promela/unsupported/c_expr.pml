/* A condition in C. */
int x;
active proctype P()
{
    x = 2;
    c_expr { now.x > 1 }
}
