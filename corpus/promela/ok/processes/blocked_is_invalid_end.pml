/* A process that waits at an ordinary statement when nothing can move: a deadlock. */
bool a, b;
active proctype P() { a; b = true }
active proctype Q() { b; a = true }
