/* An end label counts for its own statement only. */
bool never_true;
active proctype P() { end: skip; never_true }
