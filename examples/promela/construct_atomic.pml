/*
 * The construct `atomic`: several statements without interruption, and how a lost update happens without it.
 *
 * Source: classroom example (lost update).
 *
 * Each process reads the counter and writes it back one greater. Interleaved, updates get lost. In `atomic` no other
 * process moves in between. Should a statement inside `atomic` block, atomicity is lost until it can go on.
 *
 * Parameters: N       number of processes (1 to 254)
 *             RACE    without atomic: the assertion fails
 * Known answers: no deadlock; the assertion holds without RACE, fails with it.
 */
#ifndef N
#define N 3
#endif

byte counter;
byte finished;

active [N] proctype Adder()
{
    byte copy;

#ifdef RACE
    copy = counter;
    counter = copy + 1;
#else
    atomic { copy = counter; counter = copy + 1 };
#endif
    finished++
}

active proctype Check()
{
    finished == N;
    assert(counter == N)
}
