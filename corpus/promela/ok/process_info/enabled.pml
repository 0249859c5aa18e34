/* enabled(p) tells whether process p can move. */
bool go;
active proctype P() { go; skip }
active proctype Q() { assert(!enabled(0)); go = true; assert(go) }
