/* A field of something that is not a record. */
byte x;
active proctype P()
{
    x.low = 1
}
