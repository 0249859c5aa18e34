/* A process that can only end still moves: timeout waits for it. */
byte x;
active proctype Watchdog() { timeout -> x = _nr_pr; assert(x == 1) }
active proctype Short() { skip }
