/* A C variable as part of the state. */
c_state "int hits" "Global"
active proctype P() { skip }
