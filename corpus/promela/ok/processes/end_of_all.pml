/* When every process has ended, that is a valid end state. */
active [3] proctype P() { skip }
