/* A process has priority 1 unless it says otherwise; get_priority reads it. */
active proctype P() priority 3 { assert(get_priority(_pid) == 3); assert(get_priority(1) == 1 || _nr_pr == 1) }
active proctype Q() { skip }
