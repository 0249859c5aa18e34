/* A piece of C memory that is watched. */
c_track "&counter" "sizeof(int)"
active proctype P() { skip }
