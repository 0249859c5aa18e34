/*
 * Producers and consumers share a bounded buffer.
 *
 * Source: E. W. Dijkstra, "Cooperating sequential processes", 1965; here the buffer is a Promela channel.
 *
 * A channel of capacity SIZE blocks the sender when it is full and the receiver when it is empty, so nothing else is
 * needed. The counters show that no item is lost and none is made up.
 *
 * Parameters: PRODUCERS, CONSUMERS  how many of each
 *             SIZE                  capacity of the buffer (1 or more)
 *             ITEMS                 how many items each producer makes before it stops
 * Known answers: the assertion holds; no deadlock: `end` marks the place where a consumer may wait for ever.
 * Try:  remove the label `end` and see what is reported.
 */
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef SIZE
#define SIZE 2
#endif
#ifndef ITEMS
#define ITEMS 3
#endif

chan buffer = [SIZE] of { pid };
byte produced;
byte consumed;

active [PRODUCERS] proctype Producer()
{
    byte made;

    do
    :: made < ITEMS ->
       atomic { buffer!_pid; produced++; made++ }
    :: else -> break
    od
}

active [CONSUMERS] proctype Consumer()
{
    pid from;

end:
    do
    :: atomic {
           buffer?from;
           consumed++;
           assert(from < PRODUCERS);
           assert(consumed + len(buffer) == produced)
       }
    od
}
