/*
 * Alternating bit protocol with a fault: the sender takes any answer for the right one.
 *
 * Source: after K. A. Bartlett, R. A. Scantlebury and P. T. Wilkinson, Communications of the ACM, 1969; the fault is the
 * usual exercise.
 *
 * A repeated message is answered twice. The second answer is taken for the answer to the next message, and if that one
 * is lost, nobody repeats it. The receiver misses a value and the assertion fails.
 *
 * Parameters: SIZE    capacity of each channel
 *             VALUES  number of different data
 * Known answers: the assertion is violated, no deadlock. Compare alternating_bit.pml.
 */
#ifndef SIZE
#define SIZE 2
#endif
#ifndef VALUES
#define VALUES 4
#endif

chan data = [SIZE] of { byte, bit };
chan acknowledgement = [SIZE] of { bit };

active proctype Sender()
{
    byte value;
    bit number;

    do
    :: data!value,number
    :: atomic { acknowledgement?_ -> number = 1 - number; value = (value + 1) % VALUES }
    od
}

active proctype Receiver()
{
    byte value, expected;
    bit number, last = 1;

    do
    :: data?value,number;
       if
       :: atomic {
              number != last ->
              assert(value == expected);
              expected = (expected + 1) % VALUES;
              last = number
          }
       :: number == last
       fi;
       acknowledgement!number
    od
}

active proctype Loss()
{
    do
    :: data?_,_
    :: acknowledgement?_
    od
}
