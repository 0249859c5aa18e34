/* A keyword cannot be a name. */
byte do;
active proctype P() { skip }
