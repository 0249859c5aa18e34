/*
 * Dining philosophers: each takes the left fork, then the right one, eats, and gives both back.
 *
 * Source: E. W. Dijkstra, "Hierarchical ordering of sequential processes", Acta Informatica, 1971. This form, in which
 * looking at a fork and taking it is one step, is the one common in benchmark collections.
 *
 * Parameter: N, the number of philosophers (2 to 255).
 * Known answers: 3^N - 1 states (26 for N = 3), one deadlock, N steps away: everybody holds the left fork.
 * Try:  -D N=10, then N=100 with a guided or a random engine; compare philosophers_lefthanded.pml.
 */
#ifndef N
#define N 3
#endif

#define LEFT    _pid
#define RIGHT   ((_pid + 1) % N)

bit taken[N];       /* taken[i]: fork i is in somebody's hand */

active [N] proctype Philosopher()
{
    do
    ::      /* think */
            d_step { !taken[LEFT] -> taken[LEFT] = 1 };
    wait:   d_step { !taken[RIGHT] -> taken[RIGHT] = 1 };
    eat:    taken[LEFT] = 0;
    finish: taken[RIGHT] = 0
    od
}
