/* A remote reference to a label that the process type does not have. */
active proctype P() { here: skip; skip }
active proctype Q()
{
    P[0]@there
}
