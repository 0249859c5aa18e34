/* printf is always executable and changes nothing. */
byte x = 3;
active proctype P() { printf("x = %d, %c, %x, %u, %o\n", x, x + 60, x, x, x); printf("no arguments\n") }
