/*
 * The construct `provided`: a condition for every step of a process.
 *
 * Source: written as a reference for the construct.
 *
 * A round-robin scheduler in one variable. A process moves only while it has the processor; the clock gives the
 * processor to the next one. `provided` stands for a test in front of every statement.
 *
 * Parameter: N, the number of tasks.
 * Known answers: no deadlock; the assertion (only the process with the processor moves) holds.
 */
#ifndef N
#define N 2
#endif

byte processor;
byte work[N];

active [N] proctype Task() provided (processor == _pid)
{
    do
    :: work[_pid] = (work[_pid] + 1) % 3;
       assert(processor == _pid)
    od
}

active proctype Clock()
{
    do
    :: processor = (processor + 1) % N
    od
}
