/* Two statements on one line without a separator. */
byte x;
active proctype P()
{
    x = 1 x = 2
}
