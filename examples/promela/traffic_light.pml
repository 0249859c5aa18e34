/*
 * A crossing with two traffic lights that talk by rendezvous.
 *
 * Source: classroom example.
 *
 * A channel of capacity 0 holds nothing: sender and receiver meet, or both wait. The right to be green goes from one
 * light to the other over such a channel. While one light is green the other one waits at its receive, red.
 *
 * Parameter: ROADS, the number of lights (2 to 255); the right goes round.
 *            HASTY, the light hands over the right before it is red again: the assertion fails.
 * Known answers: no deadlock; the assertion holds, and fails with HASTY.
 */
#ifndef ROADS
#define ROADS 2
#endif

mtype:colour = { red, green, yellow };

chan right_of_way[ROADS] = [0] of { bool };
mtype:colour light[ROADS] = red;
byte open;                  /* how many lights are not red */

active [ROADS] proctype Light()
{
    if
    :: _pid == 0            /* the first one begins */
    :: _pid != 0 -> right_of_way[_pid]?true
    fi;

    do
    :: atomic { light[_pid] = green; open++; assert(open == 1) };
       light[_pid] = yellow;
#ifdef HASTY
       right_of_way[(_pid + 1) % ROADS]!true;
       atomic { light[_pid] = red; open-- };
#else
       atomic { light[_pid] = red; open-- };
       right_of_way[(_pid + 1) % ROADS]!true;
#endif
       right_of_way[_pid]?true
    od
}
