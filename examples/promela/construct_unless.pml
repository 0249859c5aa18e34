/*
 * The construct `unless`: normal work that an event may interrupt at every step.
 *
 * Source: written as a reference for the construct.
 *
 * `A unless B` runs A, but before each step of A it looks whether B can start. If it can, A is given up and B runs.
 * A machine works in three phases. The button stops it in whichever phase it is; the escape cleans up.
 *
 * Known answers: no deadlock; the assertion holds.
 */
chan button = [0] of { mtype };
mtype = { stop };

byte phase;
byte stops;
bool motor;

active proctype Machine()
{
end:
    do
    :: {
           phase = 1;
           motor = true;
           phase = 2;
           motor = false;
           phase = 0
       } unless {
           atomic { button?stop; motor = false; phase = 0 };
           assert(!motor && phase == 0)
       }
    od
}

active proctype Operator()
{
    do
    :: stops < 2 -> button!stop; stops++
    :: else -> break
    od
}
