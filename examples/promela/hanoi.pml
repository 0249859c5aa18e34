/*
 * Towers of Hanoi: disks are moved from peg to peg; the "error" is the tower on the last peg, the trace is the plan.
 *
 * Source: E. Lucas, 1883. Written anew.
 *
 * Every move is one step. Each disk is a process, the smallest first. A peg is a set of disks, one bit each: a disk may move when
 * no smaller one lies on its peg or on the other.
 *
 * Parameters: DISKS    number of disks (1 to 15)
 * Known answers: 3^DISKS states; the shortest plan has 2^DISKS - 1 moves; a disk can always be moved.
 */
#ifndef DISKS
#define DISKS 5
#endif

#define ALL     ((1 << DISKS) - 1)
#define ME      (1 << _pid)

short left = ALL, middle, right;    /* the pegs */

#define MOVE(from, to) \
    d_step { (from & ME) && !((from | to) & (ME - 1)) -> \
             from = from - ME; to = to + ME; \
             assert(right != ALL) }

active [DISKS] proctype Disk()
{
    do
    :: MOVE(left, middle)
    :: MOVE(left, right)
    :: MOVE(middle, left)
    :: MOVE(middle, right)
    :: MOVE(right, left)
    :: MOVE(right, middle)
    od
}
