/*
 * Blocks world: a hand moves blocks between towers; the "error" is the tower that is wanted, the trace is the plan.
 *
 * Source: planning folklore (T. Winograd, 1971); operators pick up, put down, stack and unstack as in the planning
 * competitions (F. Bacchus, 2000). Written anew.
 *
 * Every operator is one step. Each block is a process and decides what happens to it, so that a step needs no choice
 * inside. Blocks are numbered from 1; 0 means the table, or an empty hand.
 *
 * Parameters: BLOCKS   number of blocks, all on the table at the start; goal: block i on block i-1
 *             TOWERS   the ten-block instance BLOCKS-10-0: C E J B G H A D I and F alone, wanted D C F J E H B A G I
 *                      (towers from top to bottom; A is block 1)
 * Known answers: L(n) + n * L(n-1) states, where L(n) counts the sets of lists over n blocks: 22, 125, 866, 7 057, 65 990
 *   and 695 417 for BLOCKS = 3 to 8, 104 906 621 for 10. The goal is found (assertion violated); there is no deadlock.
 */
#ifdef TOWERS
#define BLOCKS 10
#endif
#ifndef BLOCKS
#define BLOCKS 4
#endif

#ifdef TOWERS
/*                      -  A  B  C  D  E  F  G  H  I  J */
byte on[11]      = {    0, 4, 7, 5, 9,10, 0, 8, 1, 0, 2 };
bool covered[11] = {    0, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1 };
byte wanted[11]  = {    0, 7, 1, 6, 3, 8,10, 9, 2, 0, 5 };
byte placed;            /* how many blocks that belong on a block lie on the right one */
#define WANTED(b)   wanted[b]
#else
byte on[BLOCKS + 1];        /* on[b]: what block b lies on */
bool covered[BLOCKS + 1];   /* covered[b]: something lies on block b */
byte placed;                /* how many blocks that belong on a block lie on the right one */
#define WANTED(b)   ((b) - 1)
#endif
byte hand;                  /* the block in the hand */

#define ME  (_pid + 1)

active [BLOCKS] proctype Block()
{
    do
    :: d_step { hand == 0 && !covered[ME] && on[ME] == 0 -> hand = ME }                     /* pick up */
    :: d_step { hand == ME -> hand = 0 }                                                    /* put down */
    :: d_step { hand != 0 && hand != ME && !covered[ME] ->                                  /* stack on me */
                on[hand] = ME; covered[ME] = true;
                placed = placed + (WANTED(hand) == ME);
                hand = 0;
                assert(placed < BLOCKS - 1) }
    :: d_step { hand == 0 && !covered[ME] && on[ME] != 0 ->                                 /* unstack */
                placed = placed - (WANTED(ME) == on[ME]);
                covered[on[ME]] = false; on[ME] = 0;
                hand = ME }
    od
}
