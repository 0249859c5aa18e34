/*
 * A word carried over a line that loses messages: the alternating bit with data.
 *
 * Source: after K. A. Bartlett, R. A. Scantlebury and P. T. Wilkinson, "A note on reliable full-duplex transmission over
 * half-duplex links", Communications of the ACM, 1969.
 * Text written for Fathom.
 *
 * The word is read bit by bit. What it is is never known, where it is always is: whoever takes a word for a new one has
 * the word that was read last.
 *
 * Parameters: BITS, how many bits a word has (3).
 *
 * Try: -D BITS=8 --symbolic 'word,sender.next,receiver.got,messages(line)'
 */

#ifndef BITS
#define BITS 3
#endif

chan line = [1] of { bit, byte };
chan back = [1] of { bit };
byte word;

active proctype sender() {
  byte next, i;
  bit turn;
  do
  :: next = 0; i = 0;
     do
     :: i < BITS ->
        if
        :: next = 2 * next
        :: next = 2 * next + 1
        fi;
        i++
     :: i == BITS -> break
     od;
     word = next; next = 0;
     do
     :: line!turn,word
     :: back?eval(turn) -> turn = !turn; break
     :: back?eval(!turn)
     od
  od
}

active proctype receiver() {
  byte got;
  bit expected, seen;
  do
  :: line?seen,got ->
     if
     :: seen == expected -> assert(got == word); expected = !expected
     :: else
     fi;
     got = 0;
     back!seen
  :: line?_,_ /* lost */
  :: back?_ /* lost */
  od
}
