/*
 * Leap-frogs: two families of frogs change places on a line of stones; the "error" is that they have, the trace is the plan.
 *
 * Source: folklore (E. Lucas, 1883). Written anew.
 *
 * N frogs look to the right and sit on the left, N look to the left and sit on the right, one stone is free between them. A frog steps
 * to the free stone before it, or leaps over one frog of the other family. Nobody goes back, so most ways end where nobody can move.
 *
 * Parameters: N        frogs of each family (1 to 120)
 * Known answers: every plan has N * (N + 2) moves, after one step in which all sit down. There are deadlocks: the wrong ends, and the
 *   right one.
 */
#ifndef N
#define N 4
#endif

#define STONES  (2 * N + 1)
#define NOBODY  0
#define RIGHT   1           /* looks to the right */
#define LEFT    2

byte stone[STONES];
byte free = N;              /* the stone where nobody sits */
byte crossed;               /* frogs that look to the right and sit on the right */

#define JUMP(from, who) \
    stone[free] = who; stone[from] = NOBODY; \
    crossed = crossed + (who == RIGHT && free > N && (from) <= N); \
    free = from; \
    assert(crossed < N || free != N)

active proctype Line()
{
    byte i;
    d_step {
        do
        :: i < STONES ->
            if
            :: i < N -> stone[i] = RIGHT
            :: i > N -> stone[i] = LEFT
            :: else
            fi;
            i++
        :: else -> break
        od;
        i = 0
    };
    do
    :: d_step { free > 0 && stone[free - 1] == RIGHT -> JUMP(free - 1, RIGHT) }
    :: d_step { free > 1 && stone[free - 1] == LEFT && stone[free - 2] == RIGHT -> JUMP(free - 2, RIGHT) }
    :: d_step { free < STONES - 1 && stone[free + 1] == LEFT -> JUMP(free + 1, LEFT) }
    :: d_step { free < STONES - 2 && stone[free + 1] == RIGHT && stone[free + 2] == LEFT -> JUMP(free + 2, LEFT) }
    od
}
