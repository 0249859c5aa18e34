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
 *                        one, found by exhaustive branch and bound
 *             CYCLES     cycles to run, for the fixed schedules
 * Known answers: `spread`, the bytes of the rings that are used, and `events`, how often a ring passes the highest or
 *   lowest level so far, at the end: 536 and 84, 444 and 71, 392 and 55 for the schedules 1 to 3 (540 and 452 and 412 bytes
 *   when they are repeated). 392 is the least of all schedules, 55 the fewest events.
 *   The goal is found (assertion violated); there is no deadlock: a schedule that finds no register ready just ends.
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

#define READY(i)    (reg[i] == REGISTER * input[i])

/* One tick, with the register of buffer x on the bus, 0 for none. */
inline tick(x)
{
    for (i : 1 .. N) {
        if
        :: input[i] ->
            moves = reg[i] <= REGISTER - WIDTH && ring[i] >= WIDTH;
            ring[i] = ring[i] + rate[i];
            if
            :: x == i -> reg[i] = 0
            :: x != i && moves -> ring[i] = ring[i] - WIDTH; reg[i] = reg[i] + WIDTH
            :: else
            fi
        :: else ->
            moves = reg[i] >= WIDTH;
            ring[i] = ring[i] - rate[i];
            if
            :: x == i -> reg[i] = REGISTER
            :: x != i && moves -> ring[i] = ring[i] + WIDTH; reg[i] = reg[i] - WIDTH
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

#if SCHEDULE == 0
#define BURST(b)    :: d_step { slot >= 3 && slot < SLOTS && READY(b) -> tick(b); i = 0; moves = 0 }
#endif

active proctype Bus()
{
    byte i, same;
    bool moves;

end:
    do
#if SCHEDULE == 0
    :: d_step { slot < 3 -> tick(0); i = 0; moves = 0 }         /* refresh */
    BURST(1)
    BURST(2)
    BURST(3)
    BURST(4)
    BURST(5)
    BURST(6)
    BURST(7)
    BURST(8)
    BURST(9)
#else
    :: d_step { slot < SLOTS && (plan[slot] == 0 || READY(plan[slot])) -> tick(plan[slot]); i = 0; moves = 0 }
#endif
    :: d_step { slot == SLOTS && cycle < CYCLES - 1 -> slot = 0; cycle++ }
    :: d_step { slot == SLOTS && cycle == CYCLES - 1 ->
                same = 0;
                for (i : 1 .. N) { same = same + (ring[i] + reg[i] == start[i]) }
                closed = (same == N);
                assert(!closed) };
       break
    od
}
