/* Variables are 0 unless given a first value; an array gets it in every element. */
byte a[3] = 4; byte x; int y = -5; bool b = true; byte z = 2 * 3 + 1;
active proctype P() { assert(a[0] == 4 && a[2] == 4 && x == 0 && y == -5 && b && z == 7) }
