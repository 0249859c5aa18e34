/* A send to a full channel waits. */
chan c = [2] of { byte };
active proctype P() { c!1; c!2; c!3 }
