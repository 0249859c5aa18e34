/*
 * Stopwatch: the "error" is a run that takes every transition, the trace is a test of the stopwatch.
 *
 * Source: G. Hamon, L. de Moura and J. Rushby, example for test generation, 2004; used by J. Ernits, "Two state space
 * reduction techniques for explicit state model checking", 2007, whose figure is lost. Written anew from his text.
 *
 * Two buttons, START and LAP, and a clock, TIC, which counts hundredths of seconds while the watch is running; LAP freezes the
 * display and the counting goes on. Fourteen traps: eight buttons, TIC while running and while frozen, and whether the
 * hundredths and the seconds wrapped. Minutes and the display steer nothing and are left out.
 *
 * Parameters: CENTS, SECONDS  where the counters wrap
 *             CONTROL         only the buttons, and their eight traps
 * Known answers: the shortest run has CENTS * SECONDS ticks and 11 buttons, 6011 steps for the default; 11 with CONTROL.
 *   The goal is found (assertion violated); there is no deadlock.
 */
#ifndef CENTS
#define CENTS   100
#endif
#ifndef SECONDS
#define SECONDS 60
#endif

#ifdef CONTROL
#define TRAPS   8
#else
#define TRAPS   14
#endif

bool taken[TRAPS];
byte missing = TRAPS;       /* traps that are not taken */
byte buttons = 8;           /* those of them that are buttons */
byte cent, sec;

/* At least so many steps are missing: a tick takes no trap of a button, and a button is no tick. */
#define TICKS   ((CENTS * SECONDS - sec * CENTS - cent) * !taken[TRAPS - 1])
#define FAR     (buttons + TICKS)

#define TAKE(trap)      missing = missing - !taken[trap]; taken[trap] = true
#define BUTTON(trap)    buttons = buttons - !taken[trap]; TAKE(trap); assert(missing > 0)

#define TIC(trap) \
    d_step { \
        TAKE(trap); \
        cent++; \
        if \
        :: cent < CENTS -> TAKE(10) \
        :: else -> \
            cent = 0; sec++; TAKE(11); \
            if \
            :: sec < SECONDS -> TAKE(12) \
            :: else -> sec = 0; TAKE(13) \
            fi \
        fi; \
        assert(missing > 0) \
    }

active proctype Stopwatch()
{
reset:
    if
    :: d_step { cent = 0; sec = 0; BUTTON(0) }; goto reset      /* LAP */
    :: d_step { BUTTON(1) }; goto running                       /* START */
    fi;
running:
    if
    :: d_step { BUTTON(2) }; goto reset                         /* START */
    :: d_step { BUTTON(3) }; goto frozen                        /* LAP */
#ifndef CONTROL
    :: TIC(8); goto running
#endif
    fi;
frozen:
    if
    :: d_step { BUTTON(4) }; goto running                       /* LAP */
    :: d_step { BUTTON(5) }; goto frozen_stopped                /* START */
#ifndef CONTROL
    :: TIC(9); goto frozen
#endif
    fi;
frozen_stopped:
    if
    :: d_step { BUTTON(6) }; goto reset                         /* LAP */
    :: d_step { BUTTON(7) }; goto frozen                        /* START */
    fi
}
