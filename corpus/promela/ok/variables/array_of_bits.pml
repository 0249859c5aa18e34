/* Arrays of bits and bools. */
bit a[9]; bool b[3] = true;
active proctype P() { a[8] = 1; a[0] = a[8]; b[1] = false; assert(a[0] == 1 && a[7] == 0 && b[0] && !b[1] && b[2]) }
