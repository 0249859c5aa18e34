/*
 * Dining philosophers, one of them left-handed: philosopher 0 takes the forks in the other order.
 *
 * Source: after E. W. Dijkstra, "Hierarchical ordering of sequential processes", Acta Informatica, 1971; ordering the
 * resources is the classic cure.
 *
 * Parameter: N, the number of philosophers (2 to 255).
 * Known answers: 3^N states (27 for N = 3, 729 for N = 6), no deadlock.
 */
#ifndef N
#define N 3
#endif

#define LEFT    _pid
#define RIGHT   ((_pid + 1) % N)
#define FIRST   (_pid == 0 -> RIGHT : LEFT)
#define SECOND  (_pid == 0 -> LEFT : RIGHT)

bit taken[N];       /* taken[i]: fork i is in somebody's hand */

active [N] proctype Philosopher()
{
    do
    ::      /* think */
            d_step { !taken[FIRST] -> taken[FIRST] = 1 };
    wait:   d_step { !taken[SECOND] -> taken[SECOND] = 1 };
    eat:    taken[FIRST] = 0;
    finish: taken[SECOND] = 0
    od
}
