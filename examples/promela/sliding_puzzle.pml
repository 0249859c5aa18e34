/*
 * Sliding puzzle: tiles on a board with one free field; the "error" is the order that is wanted, the trace is the plan.
 *
 * Source: folklore (N. Chapman, 1874); the start and the goal are as far from each other as can be (for nine fields A. Reinefeld,
 * "Complete solution of the eight-puzzle", 1993). Written anew.
 *
 * Every move is one step. Half of all orders can be reached.
 *
 * Parameters: ROWS     2 or 3, of three fields each
 * Known answers: the shortest plan has 21 moves with two rows and 31 with three, and one step more to notice it.
 */
#ifndef ROWS
#define ROWS 2
#endif

#define FIELDS  (3 * ROWS)

#if ROWS == 2
byte tile[6] = { 1, 2, 3, 4, 5, 0 };
#define SOLVED  (tile[0] == 4 && tile[1] == 5 && tile[2] == 0 && tile[3] == 1 && tile[4] == 2 && tile[5] == 3)
#else
byte tile[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 0 };
#define SOLVED  (tile[0] == 8 && tile[1] == 6 && tile[2] == 7 && tile[3] == 2 && tile[4] == 5 && tile[5] == 4 && \
                 tile[6] == 3 && tile[7] == 0 && tile[8] == 1)
#endif
byte free = FIELDS - 1;     /* the field without a tile */

#define SLIDE(from) \
    tile[free] = tile[from]; tile[from] = 0; free = from

active proctype Player()
{
end:
    do
    :: d_step { free % 3 > 0 -> SLIDE(free - 1) }
    :: d_step { free % 3 < 2 -> SLIDE(free + 1) }
    :: d_step { free > 2 -> SLIDE(free - 3) }
    :: d_step { free < FIELDS - 3 -> SLIDE(free + 3) }
    od
}

active proctype Judge()
{
end:
    d_step { SOLVED -> assert(false) }
}
