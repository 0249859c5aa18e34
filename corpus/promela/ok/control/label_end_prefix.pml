/* Every label that starts with end counts, also endless and end_of_day. */
bool never_true;
active proctype P() { endless: never_true }
active proctype Q() { skip; end_of_day: never_true; skip }
