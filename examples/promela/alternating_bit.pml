/*
 * Alternating bit protocol over channels that lose messages.
 *
 * Source: K. A. Bartlett, R. A. Scantlebury and P. T. Wilkinson, "A note on reliable full-duplex transmission over
 * half-duplex links", Communications of the ACM, 1969.
 *
 * The sender numbers its messages with one bit and repeats a message until the bit comes back. The receiver answers
 * every message with its bit and accepts a message only if the bit is new. Data are numbers that count up modulo
 * VALUES, so the receiver knows what must come next and asserts it.
 *
 * Parameters: SIZE    capacity of each channel
 *             VALUES  number of different data; greater than 2 SIZE + 1 shows every mix-up
 * Known answers: no deadlock, the assertion always holds. Compare alternating_bit_bug.pml.
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
    bit number, answer;

    do
    :: data!value,number                            /* send, or send again */
    :: acknowledgement?answer ->
       if
       :: atomic { answer == number -> number = 1 - number; value = (value + 1) % VALUES }
       :: answer != number                          /* an old answer */
       fi
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
       :: number == last                            /* seen before */
       fi;
       acknowledgement!number
    od
}

/* Any message may get lost at any time. */
active proctype Loss()
{
    do
    :: data?_,_
    :: acknowledgement?_
    od
}
