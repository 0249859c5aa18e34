/* ?? waits if no message matches. */
chan c = [2] of { byte };
active proctype P() { c!1; c!2; c??3 }
