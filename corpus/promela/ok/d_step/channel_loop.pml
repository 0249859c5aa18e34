/* Emptying a channel inside one d_step. */
chan c = [3] of { byte };
byte v, sum;
active proctype P() { c!1; c!2; c!3; d_step { len(c) == 3 -> do :: len(c) > 0 -> c?v; sum = sum + v :: len(c) == 0 -> break od; v = 0 }; assert(sum == 6) }
