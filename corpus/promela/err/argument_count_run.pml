/* run with too few arguments. */
proctype Child(byte a; byte b) { assert(a == b) }
init
{
    run Child(1)
}
