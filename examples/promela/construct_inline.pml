/*
 * The construct `inline`: a named piece of text with parameters.
 *
 * Source: written as a reference for the construct; the locks are semaphores after E. W. Dijkstra, 1965.
 *
 * A call of an inline is replaced by its body, with the arguments put in the place of the parameters. There is no call
 * and no copy: an argument may be a variable that the body assigns to.
 *
 * Parameters: N         number of processes
 *             CROSSED   odd processes take the two semaphores in the other order: deadlock
 * Known answers: the assertion holds; no deadlock without CROSSED, deadlock with it (N at least 2).
 */
#ifndef N
#define N 2
#endif

bool printer_free = true;
bool scanner_free = true;
byte busy;

inline acquire(free)
{
    atomic { free; free = false }
}

inline release(free)
{
    free = true
}

inline copy_page(users)
{
    users++;
    assert(users == 1);
    users--
}

active [N] proctype Copier()
{
    do
    ::
#ifdef CROSSED
       if
       :: _pid % 2 == 0 -> acquire(printer_free); acquire(scanner_free)
       :: else          -> acquire(scanner_free); acquire(printer_free)
       fi;
#else
       acquire(printer_free);
       acquire(scanner_free);
#endif
       copy_page(busy);
       release(scanner_free);
       release(printer_free)
    od
}
