/* One name twice in an mtype. */
mtype = { red, green, red };
active proctype P() { skip }
