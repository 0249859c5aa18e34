/* A type that does not exist. */
Record r;
active proctype P() { skip }
