/*
 * The construct `d_step`: a deterministic computation as one single transition.
 *
 * Source: written as a reference for the construct.
 *
 * A process chooses numbers and sorts them by straight insertion inside d_step. However long the computation, it is one
 * transition and leaves no states in between. A d_step must not block after its first statement and takes the first
 * executable option of each choice.
 *
 * Parameters: LENGTH   how many numbers (1 to 10)
 *             VALUES   each is in 0 .. VALUES-1
 *             STEPS    sort with ordinary steps instead, to see how many states d_step saves
 * Known answers: no deadlock; the assertion holds.
 */
#ifndef LENGTH
#define LENGTH 3
#endif
#ifndef VALUES
#define VALUES 3
#endif

byte a[LENGTH];

active proctype Sorter()
{
    byte i, k, x;

    do
    :: i < LENGTH -> select(x : 0 .. VALUES - 1); a[i] = x; i++
    :: else -> break
    od;

    i = 1;
#ifdef STEPS
    {
#else
    d_step {
#endif
        do
        :: i < LENGTH ->
           x = a[i];
           k = i;
           do
           :: (k > 0 -> a[k - 1] > x : false) -> a[k] = a[k - 1]; k--
           :: else -> break
           od;
           a[k] = x;
           i++
        :: else -> break
        od;
        x = 0; k = 0
    };

    i = 1;
    do
    :: i < LENGTH -> assert(a[i - 1] <= a[i]); i++
    :: else -> break
    od
}
