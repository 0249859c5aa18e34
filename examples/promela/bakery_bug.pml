/*
 * The bakery algorithm without the flag that says "I am choosing"; faulty: two may have the same number and miss each other.
 *
 * Source: L. Lamport, "A new solution of Dijkstra's concurrent programming problem", 1974; the fault is the classical one. Written anew.
 *
 * A customer takes a number one larger than all it sees, one look at a time, and is served when nobody has a smaller one; equal
 * numbers are served in the order of the customers. Who sees a number at the limit looks again, so that numbers are finite.
 *
 * Parameters: N        number of customers
 *             LIMIT    the largest number
 *             CHOOSING with the flag: correct
 * Known answers: two customers are served at once (assertion violated) without CHOOSING and never with it; no deadlock.
 */
#ifndef N
#define N 2
#endif
#ifndef LIMIT
#define LIMIT 3
#endif

byte number[N];
bool choosing[N];
byte served;            /* how many are served */

#define MAY_PASS(j)     (number[j] == 0 || number[j] > number[_pid] || number[j] == number[_pid] && j >= _pid)

active [N] proctype Customer()
{
    byte j, largest;
    do
    ::
#ifdef CHOOSING
       choosing[_pid] = true;
#endif
       do
       :: d_step { j < N -> if :: number[j] > largest -> largest = number[j] :: else fi; j++ }
       :: d_step { j == N && largest >= LIMIT -> j = 0; largest = 0 }           /* look again */
       :: j == N && largest < LIMIT -> break
       od;
       if
       :: d_step { number[_pid] = largest + 1; largest = 0; j = 0 }
       fi;
#ifdef CHOOSING
       choosing[_pid] = false;
#endif
       do
#ifdef CHOOSING
       :: d_step { j < N && !choosing[j] && MAY_PASS(j) -> j++ }
#else
       :: d_step { j < N && MAY_PASS(j) -> j++ }
#endif
       :: j == N -> break
       od;
       if
       :: d_step { j = 0; served++; assert(served == 1) }
       fi;
       if
       :: d_step { served--; number[_pid] = 0 }
       fi
    od
}
