/* A process that has ended waits for younger ones to die; meanwhile it is not in the way. */
byte x;
proctype Long() { x = 1; x = 2; x = 3 }
init { run Long(); x = 9 }
