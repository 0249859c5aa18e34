/* progress and accept labels do not matter for safety. */
byte x;
active proctype P() { progress: x = 1; accept: x = 2; progress_more: skip }
