/* A negative constant may stand in a receive. */
chan c = [1] of { short };
short x;
active proctype P() { c!-3; c?-3; c!-4; c?-3 }
