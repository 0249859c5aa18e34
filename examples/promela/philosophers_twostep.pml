/*
 * Dining philosophers who look first and take later: looking at a fork and taking it are two steps.
 *
 * Source: after E. W. Dijkstra, "Hierarchical ordering of sequential processes", Acta Informatica, 1971; this form
 * follows the models of H. T. Bui, "Guided random-walk based model checking", 2009.
 *
 * Between the look and the grip a neighbour may have taken the fork, so two philosophers can hold the same fork and
 * neighbours can eat together. The assertion finds that, and there is the usual deadlock besides.
 *
 * Parameter: N, the number of philosophers (2 to 255).
 * Known answers: the assertion is violated; a deadlock is 2N steps away (each looks left, each takes left).
 */
#ifndef N
#define N 3
#endif

#define LEFT    _pid
#define RIGHT   ((_pid + 1) % N)

bit taken[N];       /* taken[i]: fork i is on the table no more */
bit eating[N];      /* for the assertion only */

active [N] proctype Philosopher()
{
think:
    !taken[LEFT];
    taken[LEFT] = 1;
wait:
    !taken[RIGHT];
    d_step {
        taken[RIGHT] = 1;
        eating[_pid] = 1;
        assert(!eating[RIGHT] && !eating[(_pid + N - 1) % N])
    };
eat:
    d_step { taken[LEFT] = 0; eating[_pid] = 0 };
finish:
    taken[RIGHT] = 0;
    goto think
}
