/*
 * Missionaries and cannibals cross a river; the "error" is that all are across, the trace is the plan.
 *
 * Source: folklore (S. Amarel, 1968, as a problem for programs). Written anew.
 *
 * The boat takes one or two. On neither bank may cannibals outnumber missionaries, unless there are no missionaries. Every crossing is
 * one step.
 *
 * Parameters: PAIRS    missionaries, and as many cannibals (1 to 60)
 * Known answers: 11 crossings for three pairs; from four pairs on there is no way. The boat can always go back.
 */
#ifndef PAIRS
#define PAIRS 3
#endif

byte missionaries = PAIRS;      /* on the first bank */
byte cannibals = PAIRS;
bool across;                    /* where the boat is */

#define SAFE(m, c)      (((m) == 0 || (m) >= (c)) && (PAIRS - (m) == 0 || PAIRS - (m) >= PAIRS - (c)))
#define BACK(m, c)      (across && missionaries + (m) <= PAIRS && cannibals + (c) <= PAIRS && \
                         SAFE(missionaries + (m), cannibals + (c)))
#define FORTH(m, c)     (!across && missionaries >= (m) && cannibals >= (c) && \
                         SAFE(missionaries - (m), cannibals - (c)))

#define CROSS(m, c) \
    :: d_step { FORTH(m, c) -> missionaries = missionaries - (m); cannibals = cannibals - (c); across = true; \
                assert(missionaries + cannibals > 0) } \
    :: d_step { BACK(m, c) -> missionaries = missionaries + (m); cannibals = cannibals + (c); across = false }

active proctype Boat()
{
    do
    CROSS(1, 0)
    CROSS(2, 0)
    CROSS(0, 1)
    CROSS(0, 2)
    CROSS(1, 1)
    od
}
