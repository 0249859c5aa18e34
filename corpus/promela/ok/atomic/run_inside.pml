/* Processes started in atomic begin only after it, or where it blocks. */
byte x;
proctype Child() { assert(x == 2) }
init { atomic { run Child(); run Child(); x = 1; x = 2 } }
