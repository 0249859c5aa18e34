/* A jump to a label that does not exist. */
byte x;
active proctype P()
{
    x = 1;
    goto nowhere
}
