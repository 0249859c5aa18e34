/*
 * Peterson's filter for N processes: N-1 levels, at each of which one process is held back.
 *
 * Source: G. L. Peterson, "Myths about the mutual exclusion problem", Information Processing Letters, 1981; the two
 * faults are those of the benchmark collection BEEM (R. Pelanek, 2007), the model is written anew.
 *
 * Parameters: N          number of processes (2 to 255)
 *             ERROR      0 correct; 1 compares levels with <= instead of <; 2 looks at the wrong array
 *             PAIR       only processes 0 and 1 count for the assertion (few processes take part in the error)
 *             LTL        also state what is known about liveness
 * Known answers:
 *   N=3 ERROR=0     12 498 states, assertion holds
 *   N=3 ERROR=1    124 704 states, violated, 22 steps away
 *   N=3 ERROR=2    170 156 states, violated, 16 steps away
 *   N=4 ERROR=0  1 119 560 states, assertion holds
 * Liveness for N=3 ERROR=0: `served` and `returns` do not hold, `somebody` does.
 */
#ifndef N
#define N 3
#endif
#ifndef ERROR
#define ERROR 0
#endif

#ifdef PAIR
#define COUNTS  (_pid < 2)
#else
#define COUNTS  true
#endif

byte pos[N];        /* pos[i]: the level that process i has reached */
byte step[N];       /* step[l]: the process that came to level l+1 last */
byte critical;      /* how many processes that count are in the critical section */

#if ERROR == 1
#define BEHIND(k)   (pos[k] <= j)
#else
#define BEHIND(k)   (pos[k] < j)
#endif
#if ERROR == 2
#define OVERTAKEN   (pos[j - 1] != _pid)
#else
#define OVERTAKEN   (step[j - 1] != _pid)
#endif

active [N] proctype Process()
{
    byte j;         /* the level to reach next */
    byte k;         /* the process to look at next */

idle:
    j = 1;
wait:
    if
    :: d_step { j < N -> pos[_pid] = j }
    :: d_step { j == N -> critical = critical + COUNTS; assert(critical <= 1) };
       goto inside
    fi;
    d_step { step[j - 1] = _pid; k = 0 };
scan:
    if
    :: d_step { k < N && (k == _pid || BEHIND(k)) -> k++ };
       goto scan
    :: d_step { k == N || OVERTAKEN -> j++ };
       goto wait
    fi;
inside:
    if
    :: d_step { pos[_pid] = 0; critical = critical - COUNTS };
       goto idle
    fi
}

#ifdef LTL
ltl served   { [] (Process[0]@wait -> <> Process[0]@inside) }
ltl returns  { [] (!Process[0]@inside -> <> Process[0]@inside) }
ltl somebody { [] <> (critical > 0) }
#endif
