/*
 * Peterson's algorithm: two processes take turns in a critical section.
 *
 * Source: G. L. Peterson, "Myths about the mutual exclusion problem", Information Processing Letters, 1981.
 *
 * Each process first says that it wants to enter, then lets the other go first. It enters as soon as the other does
 * not want to, or was the last one to be polite. The assertion states mutual exclusion.
 *
 * Known answers: no deadlock, the assertion always holds.
 * Try:  -D POLITE_FIRST   the two statements before the wait in the wrong order; the assertion fails.
 */
bool wants[2];      /* wants[i]: process i wants to enter or is inside */
byte last;          /* the process that was polite last */
byte inside;        /* how many processes are inside, for the assertion only */

active [2] proctype Process()
{
    do
    ::
#ifdef POLITE_FIRST
        last = _pid;
        wants[_pid] = true;
#else
        wants[_pid] = true;
        last = _pid;
#endif
        (!wants[1 - _pid] || last != _pid);

        inside++;
        assert(inside == 1);
        inside--;

        wants[_pid] = false
    od
}
