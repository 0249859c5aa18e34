/*
 * The constructs `for` and `select`: counting loops and a choice from a range.
 *
 * Source: written as a reference for the constructs; the puzzle is the N queens puzzle (M. Bezzel, 1848).
 *
 * `select(c : 0 .. N-1)` guesses the column of the queen in each row; `for` compares it with the queens above. A wrong
 * guess ends the attempt. The error trace of the assertion is a solution.
 *
 * Parameter: N, the size of the board (1 to 8).
 * Known answers: the assertion is violated for N = 4 and above (and for 1), holds for 2 and 3; no deadlock.
 */
#ifndef N
#define N 4
#endif

byte column[N];

active proctype Queens()
{
    byte row, above, c;
    bool attacked;

    for (row : 0 .. N - 1) {
        select(c : 0 .. N - 1);
        attacked = false;
        d_step {
            for (above : 0 .. N - 1) {
                if
                :: above < row &&
                   (column[above] == c || column[above] + row - above == c || column[above] == c + row - above) ->
                   attacked = true
                :: else
                fi
            };
            above = 0
        };
        if
        :: attacked -> goto done
        :: else -> column[row] = c
        fi
    };
    assert(false);          /* all queens are placed */
done:
    skip
}
