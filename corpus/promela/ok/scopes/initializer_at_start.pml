/* A local with a constant first value has it from the start: no step. */
active proctype P() { byte x = 4; short y = -1; assert(x == 4 && y == -1) }
