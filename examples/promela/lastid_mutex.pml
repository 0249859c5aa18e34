/*
 * Mutual exclusion with flags and the number of the last process to come; faulty, because flag and number are set in
 * the wrong order.
 *
 * Source: H. T. Bui, "Guided random-walk based model checking", 2009 (a form of Peterson's algorithm, 1981).
 *
 * Correct order: raise the flag, then sign as the last one. Here a process signs first. A process may enter when no
 * other flag is up, or when somebody else has signed later. The correct order is right for two processes only.
 *
 * Parameters: N        number of processes (2 to 255)
 *             CORRECT  raise the flag first
 *             SCAN     look at the flags one after the other instead of in one step
 *             PAIR     only processes 0 and 1 count for the assertion (few processes take part in the error)
 * Known answers: N * 4^N states without CORRECT and SCAN (192 for N = 3), violation 6 steps away:
 *   p signs, q signs, q raises, q enters, p raises, p enters.
 */
#ifndef N
#define N 3
#endif

#ifdef PAIR
#define COUNTS  (_pid < 2)
#else
#define COUNTS  true
#endif

bool flag[N];
byte raised;        /* how many flags are up */
byte last;          /* who signed last */
byte critical;      /* how many processes are in the critical section */

active [N] proctype Process()
{
#ifdef SCAN
    byte k;
#endif
    do
    ::
#ifdef CORRECT
       d_step { flag[_pid] = true; raised++ };
       last = _pid;
#else
       last = _pid;
       d_step { flag[_pid] = true; raised++ };
#endif

#ifdef SCAN
       do
       :: last != _pid -> break
       :: k == N -> break
       :: k < N && (k == _pid || !flag[k]) -> k++
       od;
       if
       :: d_step { k = 0; critical = critical + COUNTS; assert(critical <= 1) }
       fi;
#else
       d_step { raised == 1 || last != _pid -> critical = critical + COUNTS; assert(critical <= 1) };
#endif
       if
       :: d_step { critical = critical - COUNTS; flag[_pid] = false; raised-- }
       fi
    od
}
