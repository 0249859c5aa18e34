/* Without a partner a rendezvous is not executable. */
chan c = [0] of { byte };
active proctype P() { c!7 }
