/* A member of one named enumeration assigned to a variable of another. */
mtype:fruit = { apple, pear };
mtype:size = { small, large };
mtype:fruit f;
active proctype P()
{
    f = small
}
