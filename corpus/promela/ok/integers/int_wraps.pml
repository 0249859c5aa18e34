/* int has 32 bits with sign; arithmetic is done in it. */
int i = 2147483647;
active proctype P() { i = i - 1; i = i + 1; assert(i == 2147483647); i = -i; i = i - 1; assert(i < 0 && i + 2147483647 == -1) }
