/* A receive waits if the first message does not match the constants, even if a later one does. */
chan c = [2] of { byte };
active proctype P() { c!1; c!2; c?2 }
