/* A channel made by a process dies with it; its number is free for the next one. */
chan mailbox = [1] of { chan };
byte got;
proctype Owner() { chan mine = [1] of { byte }; mailbox!mine; mine?got }
init { chan c; run Owner(); mailbox?c; c!5; _nr_pr == 1; assert(got == 5); run Owner(); mailbox?c; c!6; _nr_pr == 1; assert(got == 6) }
