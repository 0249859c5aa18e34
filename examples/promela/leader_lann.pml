/*
 * Recovery of a lost token on a ring, with a time-out that may fire too early.
 *
 * Source: G. Le Lann, "Distributed systems: towards a formal approach", IFIP Congress, 1977; the ring options after
 * E. Chang and R. Roberts, Communications of the ACM, 1979. Error hunted by H. T. Bui, 2009.
 *
 * Processes on a unidirectional ring share one resource. The token allows its use. A process that thinks the token is
 * lost sends its own number round; when the number comes back, the process takes the resource. The time-out fires
 * whenever it likes, so two processes may hold the resource: `assert(resource == 1)` fails.
 *
 * A process is idle, in the race (its number is under way) or beaten (it has passed on a smaller number since). A beaten
 * process has no move when another smaller number arrives: that is where the deadlocks come from. The more processes there are, the
 * more runs end there before two hold the resource: from about ten on, neither exhaustive search nor random walks get past them.
 *
 * Parameters: N          number of processes (2 to 25)
 *             SWALLOW    a process does not forward numbers greater than its own (Chang and Roberts)
 *             PRECEDENCE no second time-out before the own number has come back
 *             LOSSY      a link may lose its message
 *             FORWARD    a beaten process passes on smaller numbers, too: nothing stops, and every long run ends in a collision
 * Known answers (states; collision = violated assertion):
 *   N=3                                18 424   collision 14 steps away, first deadlock 20 steps away
 *   N=4                             2 289 238   collision 16 steps away
 *   N=4 -D SWALLOW -D PRECEDENCE       12 784   no collision, no deadlock: the correct version
 *   N=5 -D SWALLOW -D PRECEDENCE      128 600   no collision, but a deadlock: a beaten process stops
 *   N=4 -D SWALLOW -D LOSSY         1 832 139   collision
 *   the collision is 2N + 8 steps away without options (N = 3 to 7 by breadth-first search)
 */
#ifndef N
#define N 3
#endif

#define TOKEN   255
/* the numbers of the source, which repeat from the seventh process on, and others for the rest */
#define ID      (_pid < 6 -> ((_pid + 9) * (_pid + 7) + 42) % 27 : 27 + _pid)
#define NEXT    link[_pid]
#define PREV    link[(_pid + N - 1) % N]

mtype = { idle, racing, beaten };

chan link[N] = [1] of { byte };     /* link[i] leads from process i to process i+1 */
byte resource = 1;                  /* how many processes hold the resource */

#ifdef LOSSY
byte wire[N];                       /* what link[i] carried last */
#define SEND(m)     NEXT!m; wire[_pid] = m
#else
#define SEND(m)     NEXT!m
#endif

#ifdef PRECEDENCE
#define MAY_SEND    (!sent)
#define NOTE(b)     sent = b
#else
#define MAY_SEND    true
#define NOTE(b)     skip
#endif

/* The process holds the resource, and passes the token on. */
inline critical_part()
{
    if
    :: d_step { nfull(NEXT) -> SEND(TOKEN); status = idle; resource-- };
       goto wait
    fi
}

/* The process waits for a message; while idle it may fear that the token is lost. */
inline wait_part()
{
    if
    :: PREV?v -> goto got
    :: d_step { status == idle && MAY_SEND && nfull(NEXT) -> SEND(ID); status = racing; NOTE(true) };
       goto wait
    fi
}

/* The process looks at the message that it has received. */
inline got_part()
{
    if
    :: d_step { v == TOKEN -> resource++; assert(resource == 1) };
       goto critical
    :: d_step { v == ID && status == racing -> NOTE(false); resource++; assert(resource == 1) };
       goto critical
    :: d_step { v == ID && status != racing -> NOTE(false); status = idle };
       goto wait
#ifdef SWALLOW
    :: v != TOKEN && v > ID ->
       goto wait
#else
    :: d_step { v != TOKEN && v > ID && nfull(NEXT) -> SEND(v) };
       goto wait
#endif
    :: d_step { v < ID && status == idle && nfull(NEXT) -> SEND(v) };
       goto wait
    :: d_step { v < ID && status == racing && nfull(NEXT) -> SEND(v); status = beaten };
       goto wait
#ifdef FORWARD
    :: d_step { v < ID && status == beaten && nfull(NEXT) -> SEND(v) };
       goto wait
#endif
    fi
}

/* Process 0 has the token at the start. */
active proctype Holder()
{
    mtype status = idle;
    byte v;
#ifdef PRECEDENCE
    bool sent;
#endif
critical:
    critical_part();
wait:
    wait_part();
got:
    got_part()
}

active [N - 1] proctype Other()
{
    mtype status = idle;
    byte v;
#ifdef PRECEDENCE
    bool sent;
#endif
wait:
    wait_part();
got:
    got_part();
critical:
    critical_part()
}

#ifdef LOSSY
active [N] proctype Loss()
{
    do
    :: link[_pid - N]?_
    od
}
#endif
