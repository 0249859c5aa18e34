/* A local variable that is never read again is still part of the state. */
active proctype P() { byte x; if :: x = 1 :: x = 2 fi; skip; skip }
