/* skip is a transition like any other: it does nothing but move on. */
active proctype P() { skip; skip; skip }
