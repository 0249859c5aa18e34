/* A process may start processes of its own type. */
byte n;
proctype Node(byte depth) { n++; if :: depth > 0 -> run Node(depth - 1) :: else fi }
init { run Node(2) }
