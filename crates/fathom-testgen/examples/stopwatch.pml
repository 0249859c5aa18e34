/*
 * Stopwatch without traps: two buttons, START and LAP, and a clock, TIC, which counts hundredths of seconds while the watch
 * is running; LAP freezes the display and the counting goes on. A tick is one step, with the carry of the counters in it.
 *
 * Source: G. Hamon, L. de Moura and J. Rushby, example for test generation, 2004; used by J. Ernits, "Two state space
 * reduction techniques for explicit state model checking", 2007, whose figure is lost. Written anew from his text.
 *
 * The shortest run over all transitions has CENTS * SECONDS ticks and 11 buttons: 6011 steps.
 */
#ifndef CENTS
#define CENTS   100
#endif
#ifndef SECONDS
#define SECONDS 60
#endif

chan tic = [0] of { bit };
byte cent, sec;

active proctype Watch()
{
reset:
    if
    :: d_step { cent = 0; sec = 0 }; goto reset     /* LAP */
    :: true -> goto running                         /* START */
    fi;
running:
    if
    :: true -> goto reset                           /* START */
    :: true -> goto frozen                          /* LAP */
    :: tic ! 0 -> goto running
    fi;
frozen:
    if
    :: true -> goto running                         /* LAP */
    :: true -> goto frozen_stopped                  /* START */
    :: tic ! 0 -> goto frozen
    fi;
frozen_stopped:
    if
    :: true -> goto reset                           /* LAP */
    :: true -> goto frozen                          /* START */
    fi
}

active proctype Counter()
{
end:
    do
    :: d_step {
        tic ? _ ->
        if
        :: cent < CENTS - 1 -> cent++
        :: else ->
            cent = 0;
            if
            :: sec < SECONDS - 1 -> sec++
            :: else -> sec = 0
            fi
        fi }
    od
}
