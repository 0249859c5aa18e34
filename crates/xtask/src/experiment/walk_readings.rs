//! What the pages on walks say in words, above their tables and below each of them.

pub const ABOUT_WALKS: &str = "\
Every line of Bui (2009), figures 4.3, 4.4, 6.6, 6.7, 6.9 and 6.10: a Pentium IV with 1 GB, Spin as it comes, means of 50 seeds. RANSPIN walks at random; GRANSPIN is guided by h1, the moves of \
the error of a smaller instance. `T` tries one child after the other, `A` looks at all of them. The source counts moves of model and claim, two for each step of ours, and its models take more moves for \
the same thing: lengths compare by ratio, times not at all.

Here an exhaustive search has no reductions, and may remember 64 MB (the whole process takes more) and take two minutes; a run of walks has five seconds, or what the command says. `guided` has the pattern \
that is made of smaller instances and the default weights, `guided, linear weights` has weights like the source's, but for the smallest: 1 here, 0 there. Both look at all children. A step that an assertion cuts short is counted for exhaustive searches and not for walks, so theirs are one less. *none*: nothing found. *-*: the source ran out of \
memory, or did not try. A ratio needs hits in half of the runs; the mean is the geometric one of the lines with both ratios.

| model | shape of the source | unguided to guided, here | source |
| --- | --- | ---: | ---: |
| philosophers | yes; the exhaustive search is worse here | 7.4 | 9.5 |
| mutual exclusion | yes | 7.5 | 13 |
| leader election | with a pattern by hand, as in the source; not with the one that is made | 8.9 by hand, 1.3 made | 12 |
| Peterson | yes in walks; guided traces are shorter than there | 8.3 | 1.3 |";

pub const PHILOSOPHERS: &str = "\
The shape is that of the source at every size: one walk is enough, lengths grow with N, and guided traces are 7 to 8 times shorter than unguided ones (source: 8 to 10). In the median they are the shortest, N steps, at every \
size; the source is within 10 % of that from 40 on. With linear weights they are about twice as long. The reason is the smallest weight: while any move fits the pattern, the source never chooses one that does not, \
and here a philosopher who could eat now and then does.

The exhaustive search is another matter: that of the source is lucky at every size, ours for 10 only. It is the text of the model, not the engine: Spin 6.5 on our model has the same 4147 states and 4146 steps \
for 10, and finds nothing for 20 and 50 with 200 MB (`./pan -m9999`, `-m100000`).

Guided runs take about as long as unguided ones, with an eighth of the steps: each step looks at all children, of up to 150 processes. In the source they are five times faster.";

pub const MUTUAL_EXCLUSION: &str = "\
The shape is that of the source: one walk is enough at every size, unguided traces grow with N and guided ones slowly, and the ratio grows from 5 to about 10 (source: from 8 to 16). The exhaustive search at 64 MB finds the error \
for 8 processes and breadth-first only; the source's needs a thousand times the time from 8 to 60 processes and 116 MB.

For walks that look at all children the ratio is 2.9 (source: 14), for two reasons. A process that looks at flags often has two steps, and is chosen twice as often when all steps are equally likely, so unguided walks need half \
the steps here already, not in the source. And 58 bystanders with the smallest weight of 1 each are many; in the source they have 0.";

pub const LEADER_ELECTION: &str = "\
With `FORWARD` nothing stops, as in the source: every long run ends in a collision, so one walk is enough for everybody, and depth-first search is lucky, as Spin is with its bound on depth. Breadth-first search is not, from 8 processes on.

The pattern that is made automatically does not have the shape of the source: traces become 1.3 times shorter (source: 12). The shortest collision needs one process that fears twice that the token is lost, while no other does: its first number \
comes back after the token, and finds it in the race again. The pattern of three to five processes has these moves, but not *whose* they are when more processes could make them, and walks do not end before they collide \
in some other way. The pattern of the source, 24 rows, was written by hand and names two processes. `guided, by hand` is written by hand, too ([pattern/leader-election.json](pattern/leader-election.json), nine rows: process 1 alone times out, \
the token moves when nothing else can): one walk, mostly on the shortest way of 2N + 8 steps, 8.9 times shorter than unguided, and more with more processes. So the shape is that of the source when the pattern is as good.";

pub const PETERSON: &str = "\
The number of walks has the shape of the source: unguided it grows with N (1 to a median of 3 here, 1.0 to 8.4 there), guided it stays near 1 (here 1, there up to 1.9). Exhaustive search is out of memory from 7 processes on, as in the source; \
for 5 it takes far more than a walk there and here, and its trace has 420 120 steps here. So 11 processes are for walks only.

Lengths differ: guided traces are 8 times shorter here (source: 1.3). There both are some thousand moves, close to the bound of 10 000 at which walks are cut, so means say little; here 5 processes take 72 steps and 11 take 462. Our pattern \
is chosen by trial among several, and our model has fewer moves for one look at the other processes.";

pub const PHILOSOPHERS_LOOP: &str = "\
Walks that end at the first state that comes again, as in chapter 4 of the source, need two or three attempts in the median (source: 1.3 to 2.3), and the trace of the last one grows with N as there. For the exhaustive search see above.";

pub const LEADER_LOOP: &str = "\
This is not the shape of the source, where Spin's trace grows fourfold with each process until its memory is full, and walks need 6 to 11 attempts. With `FORWARD` every run collides soon, and no walk meets a loop before. The model of chapter 4 is \
not that of chapter 6 (the figures of Spin are not the same for 4, 6 and 8 processes), and its text is lost.";

pub const LEADER_STOPS_LOOP: &str = "\
Where beaten processes stop, the exhaustive search has the shape of the source: states multiply with each process, and from 7 on (source: 9) memory is full. Walks need more than one attempt, but far more than in the source, since most \
end where everybody is stopped: hundreds for 7 processes, and nothing with 2020 for 9. So the model of chapter 4 is between our two.";

pub const LEADER_STOPS: &str = "\
A harder model than the source's, for what it asks: the error is where exhaustive search at the same memory does not find it. Most runs end in a deadlock before two processes hold the resource. For 12 and 20 processes the collision, \
2N + 8 steps away, is found by no exhaustive search with 64 MB, by none of 50 times 2020 unguided walks and by no walk guided by the formula; walks guided by the pattern find it with (nearly) every seed, mostly on the shortest way, in half a second \
and 16 MB. What 20 processes lack in hits is a matter of the five seconds: with 30, all 50 seeds hit.";

pub const ABOUT_REVERSED: &str = "\
Every line of Bui (2009), figures 6.11 and 6.12: what a good and a mediocre heuristic do for a walk, and the same turned round. h0 is the distance of the process that moved from the place in which it is part of the error: philosophers with their left \
fork, processes inside. The tables are written by hand, as in the source ([local/](local/philosophers.json)). h1 is the pattern of a smaller instance. Weights are linear unless the column says otherwise.

A guided walk looks at all children, so it compares with the unguided walk that does so, too; ratios are to the other one, as in the source. A step with the largest estimate has weight 0 in the source, and is never taken while there is another; here \
every weight is positive, so that nothing becomes impossible. So linear weights can hurt only up to the ratio of the largest weight to 1; the default weights come closer to the source in this. Ten seeds \
with default weights, one second for each run: where fewer than all runs hit, the lengths are those of the lucky ones. That second is shared with other work on the machine. A step that an assertion cuts short is not counted.";

pub const PHILOSOPHERS_REVERSED: &str = "\
The shape of the source, line by line. h0 gains as much as there (0.23 of the unguided length, source 0.16, and nearly the same for all N), h1 is a little worse than h0 with linear weights and the best of all, N steps, with the default ones. \
Turned round, h0 makes the error intractable: for 10 philosophers 55 times the length (source: 15 times, and 356 walks), and from 20 on no run of 50 hits, where the source ran out of memory. h1 turned round costs 3 to 5 times the length of the \
unguided walk (source: 8 times for 10, down to 1.2 for 150, since its walks are cut at 10 000 moves); from about 90 on a second is too short for it here. With default weights it is intractable, too.";

pub const MUTUAL_EXCLUSION_REVERSED: &str = "\
Forwards the shape is that of the source: h0 gains (0.4 of the unguided length, source 0.26), h1 gains more (0.16, source 0.06). Turned round with linear weights nothing is lost, where the source has 4 and 5 times the unguided length: two of many processes have to make \
a few moves each, and a weight of 1 beside those of the bystanders is enough for that; a weight of 0, as there, is not. The default weights have the shape of the source: turned round, 7 of 10 runs hit for 12 processes, with 17 times the unguided length (source: 10 times), and none \
from 20 on within a second. In the source the columns of h1 are shifted by a line (those of 8, 16, 24 and so on stand beside 12, 20, 28); they are given as printed.";

pub const LEADER_ELECTION_REVERSED: &str = "\
The shape of the source: h0 gains little (0.88 of the unguided length, source 0.77), and turning anything round costs nothing, since every long run ends in a collision. What h1 gains depends on who writes it: \
the pattern by hand takes 0.13 of the unguided length (source: 0.09, by hand as well), the one that is made 0.82; see [hunting-walks.md](hunting-walks.md). One of 50 runs by hand did not hit within its time for 20 processes.";

pub const PETERSON_REVERSED: &str = "\
As in the source, h1 turned round is no worse than no heuristic for 3, 5 and 7 processes (0.2 to 0.5 of the unguided length, source 0.15 to 1.6), and suddenly bad from 9 on: half of the runs hit within a second, and with default weights none, where the source goes from one walk to more than seven. Forwards it gains more here than there (0.1 to 0.3, source 0.4 to 1.1). h0 is where the two differ: in the source it changes next to nothing in either \
direction, here it hurts forwards and helps when turned round. Distances of locations know nothing of the N - 1 levels, so h0 prefers processes that go up a level to those that still look at the others, and with h0 turned round many wait at a level together, which is what the error needs. \
How much of that shows depends on how a model looks at the other processes: here in one step for each, with one location for the loop.";
