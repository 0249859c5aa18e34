/* One declaration may declare several variables, arrays among them. */
byte a = 1, b[2] = 2, c;
active proctype P() { c = a + b[0] + b[1]; assert(c == 5) }
