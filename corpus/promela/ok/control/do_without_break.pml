/* A loop without break goes on for ever: no end state, no deadlock. */
bit x;
active proctype P() { do :: x = 1 - x od }
