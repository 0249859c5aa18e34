/*
 * Memory arbiter of a radar card: nine buffers share one memory bus. The "error" is a cycle that closes, the trace is
 * the schedule of the bus.
 *
 * Source: J. Ernits, "Two state space reduction techniques for explicit state model checking", 2007, after a card by
 * Terma. Written anew from his text; his automata are lost, so that only the arithmetic of the data path is his.
 *
 * A tick is one burst on the bus, 40 ns. Every buffer has a ring and a register of 64 bytes between ring and bus; ring and
 * register exchange 16 bytes in a tick, register and memory all 64 at once. Rings of inputs fill and rings of outputs
 * drain at a constant rate. A cycle has 16 ticks: three for the refresh of the memory and its end, then 13 bursts, one for
 * each 64 bytes that come or go. It closes: every buffer holds again what it held.
 *
 * Parameters: SCHEDULE   0 every schedule; 1 the one found depth-first and 2 the one found by cost, as published; 3 a better
 *                        one, found by exhaustive branch and bound; 4 that of a controller, repeated for ever without looking
 *                        whether registers are ready: arbiter_controller.pml, which `fathom plan --emit-controller` writes
 *             CYCLES     cycles to run, for the schedules 0 to 3; 0 for ever, each cycle closed, for the schedule 0
 * Known answers: `spread`, the bytes of the rings that are used, and `events`, how often a ring passes the highest or
 *   lowest level so far, at the end: 536 and 84, 444 and 71, 392 and 55 for the schedules 1 to 3 (540 and 452 and 412 bytes
 *   when they are repeated). 392 is the least of all schedules, 55 the fewest events.
 *   The goal is found (assertion violated); there is no deadlock: a schedule that finds no register ready just ends.
 *   With the controller of schedule 3, rings stay in bounds for ever (IN_BOUNDS), no burst finds its register unready (missed),
 *   nothing is stuck, and two cycles pass (ticks > 31).
 */
#ifndef SCHEDULE
#define SCHEDULE 1
#endif
#ifndef CYCLES
#define CYCLES 1
#endif

#define N        9
#define REGISTER 64
#define WIDTH    16
#define SLOTS    16

/* By buffer; 1, 2, 8 and 9 are inputs.  -    1    2    3    4    5    6    7    8    9 */
bool input[N + 1]   = {                  0,   1,   1,   0,   0,   0,   0,   0,   1,   1 };
byte rate[N + 1]    = {                  0,   4,   4,   4,   8,   4,   4,   8,   8,   8 };
short start[N + 1]  = {                  0,  64,  64, 128, 256, 128, 128, 256, 256, 256 };
short ring[N + 1]   = {                  0,  64,  64, 128, 256, 128, 128, 256, 256, 256 };
short lowest[N + 1] = {                  0,  64,  64, 128, 256, 128, 128, 256, 256, 256 };
short highest[N + 1] = {                 0,  64,  64, 128, 256, 128, 128, 256, 256, 256 };
byte reg[N + 1];            /* what is in the register */

short bus;                  /* whose register is on the bus in this tick; 0 none, -1 the memory is refreshed */
byte slot;                  /* of the cycle */
byte cycle;
short spread;               /* sum of highest - lowest */
short events;
bool closed;                /* every buffer holds what it held */

#if SCHEDULE == 1
byte plan[SLOTS] = { 0, 0, 0, 7, 9, 8, 4, 2, 7, 9, 8, 6, 5, 4, 1, 3 };
#elif SCHEDULE == 2
byte plan[SLOTS] = { 0, 0, 0, 4, 7, 2, 1, 8, 9, 4, 7, 6, 3, 5, 8, 9 };
#elif SCHEDULE == 3
byte plan[SLOTS] = { 0, 0, 0, 4, 7, 3, 5, 8, 9, 6, 1, 4, 7, 2, 8, 9 };
#endif

#if SCHEDULE == 4
#include "arbiter_controller.pml"
byte ticks;                 /* up to two cycles */
bool missed;                /* a burst found its register not ready */
#endif

#define READY(i)    (reg[i] == REGISTER * input[i])
#define WITHIN(i, most)     (ring[i] >= 0 && ring[i] <= most)
#define IN_BOUNDS   (WITHIN(1, 256) && WITHIN(2, 256) && WITHIN(3, 512) && WITHIN(4, 1024) && WITHIN(5, 512) && \
                     WITHIN(6, 512) && WITHIN(7, 1024) && WITHIN(8, 1024) && WITHIN(9, 1024))

/* One tick, with the register of buffer x on the bus, 0 for none. */
inline tick(x)
{
    for (i : 1 .. N) {
        if
        :: input[i] ->
            moves = reg[i] <= REGISTER - WIDTH && ring[i] >= WIDTH;
            ring[i] = ring[i] + rate[i];
            if
            :: x == i && READY(i) -> reg[i] = 0
            :: !(x == i && READY(i)) && moves -> ring[i] = ring[i] - WIDTH; reg[i] = reg[i] + WIDTH
            :: else
            fi
        :: else ->
            moves = reg[i] >= WIDTH;
            ring[i] = ring[i] - rate[i];
            if
            :: x == i && READY(i) -> reg[i] = REGISTER
            :: !(x == i && READY(i)) && moves -> ring[i] = ring[i] + WIDTH; reg[i] = reg[i] - WIDTH
            :: else
            fi
        fi;
        if
        :: ring[i] > highest[i] ->
            spread = spread + ring[i] - highest[i]; highest[i] = ring[i]; events++
        :: ring[i] < lowest[i] ->
            spread = spread + lowest[i] - ring[i]; lowest[i] = ring[i]; events++
        :: else
        fi
    }
    slot++
}

/* How many buffers hold what they held. */
inline compare()
{
    same = 0;
    for (i : 1 .. N) { same = same + (ring[i] + reg[i] == start[i]) }
}

#if SCHEDULE == 0 && CYCLES == 0
#define END_OF_TICK compare(); closed = (slot == SLOTS && same == N); slot = (closed -> 0 : slot); same = 0; i = 0; moves = 0
#else
#define END_OF_TICK i = 0; moves = 0
#endif

#if SCHEDULE == 0
#define BURST(b)    :: d_step { slot >= 3 && slot < SLOTS && READY(b) -> bus = b; tick(b); END_OF_TICK }
#endif

active proctype Bus()
{
    byte i, same;
    bool moves;

end:
    do
#if SCHEDULE == 0
    :: d_step { slot < 2 -> bus = -1; tick(0); END_OF_TICK }     /* refresh */
    :: d_step { slot == 2 -> bus = 0; tick(0); END_OF_TICK }     /* and its end */
    BURST(1)
    BURST(2)
    BURST(3)
    BURST(4)
    BURST(5)
    BURST(6)
    BURST(7)
    BURST(8)
    BURST(9)
#elif SCHEDULE == 4
    :: d_step { true -> controller_step();
                missed = missed || (bus > 0 && !READY(bus));
                tick(bus);
                slot = slot % SLOTS;
                ticks = (ticks < 2 * SLOTS -> ticks + 1 : ticks);
                END_OF_TICK }
#else
    :: d_step { slot < SLOTS && (plan[slot] == 0 || READY(plan[slot])) -> bus = plan[slot]; tick(plan[slot]); END_OF_TICK }
#endif
#if SCHEDULE != 4 && CYCLES > 0
    :: d_step { slot == SLOTS && cycle < CYCLES - 1 -> slot = 0; cycle++ }
    :: d_step { slot == SLOTS && cycle == CYCLES - 1 -> compare(); closed = (same == N); assert(!closed) };
       break
#endif
    od
}
