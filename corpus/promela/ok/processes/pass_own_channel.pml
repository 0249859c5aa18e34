/* Parent and child talk over a channel made by the parent. */
proctype Child(chan back) { back!_pid }
init { chan c = [0] of { pid }; pid a, b; run Child(c); run Child(c); c?a; c?b; assert(a + b == 3 || a == 1) }
