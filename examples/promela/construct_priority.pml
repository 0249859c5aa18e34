/*
 * The construct `priority`: only the most urgent executable process moves.
 *
 * Source: G. E. Reeves's account of the Mars Pathfinder resets, 1997; a small form of priority inversion.
 *
 * Three tasks with priorities. The low one takes a lock that the high one needs; the middle one computes for ever and
 * never lets the low one run. `overtaken` counts how long the middle task goes on while the high one waits.
 *
 * Parameter: INHERIT, the low task takes over the priority of the high one while it has the lock.
 * Known answers: the assertion fails; it holds with INHERIT. No deadlock.
 */
bool lock;
bool waiting;           /* the high task waits for the lock */
byte overtaken;         /* steps of the middle task in that time, counted up to 3 */

active proctype Low() priority 1
{
    do
    :: atomic {
           !lock ->
#ifdef INHERIT
           set_priority(_pid, 9);       /* before the lock: a more urgent process interrupts even atomic */
#endif
           lock = true
       };
       skip;                /* work with the shared bus */
       atomic {
           lock = false
#ifdef INHERIT
           ; set_priority(_pid, 1)
#endif
       }
    od
}

active proctype Middle() priority 5
{
    do
    :: d_step { waiting && overtaken < 3 -> overtaken++; assert(overtaken < 3) }
    od
}

active proctype High() priority 8
{
    do
    :: lock -> waiting = true;          /* wakes up at the worst moment */
       atomic { !lock -> lock = true; waiting = false; overtaken = 0 };
       lock = false
    od
}
