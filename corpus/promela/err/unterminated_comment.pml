/* A comment without an end. */
active proctype P() { skip }
/* from here on
active proctype Q() { skip }
