/* A constant expression 0 is never executable: an invalid end state. */
active proctype P() { skip; false; skip }
