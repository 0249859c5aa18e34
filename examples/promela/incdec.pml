/*
 * One process counts up, one counts down, a monitor waits for the farthest corner.
 *
 * Source: T. C. Ruys, example for bitstate hashing; used by J. Ernits, "Two state space reduction techniques for
 * explicit state model checking", 2007.
 *
 * The error needs both counters at their last value at once. A small bit table forgets most of the square, so the error
 * is easy to miss: a good test for sampled and pruned searches.
 *
 * Parameter: MAX, the number of values of each counter (2 to 32767).
 * Known answers: MAX^2 states (998 001 for 999); shortest violation after 2(MAX - 1) steps, then the assertion.
 * Try:  -D MAX=99 for a quick look (9 801 states).
 */
#ifndef MAX
#define MAX 999
#endif

short xx;           /* 0 .. MAX-1 */
short yy;           /* -(MAX-1) .. 0: the remainder has the sign of the dividend */

active proctype Inc()
{
    do
    :: xx = (xx + 1) % MAX
    od
}

active proctype Dec()
{
    do
    :: yy = (yy - 1) % MAX
    od
}

active proctype Monitor()
{
    do
    :: assert(!(xx == MAX - 1 && yy == 1 - MAX))
    od
}
