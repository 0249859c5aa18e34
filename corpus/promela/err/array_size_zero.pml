/* An array needs at least one element. */
byte a[0];
active proctype P() { skip }
