/* A local variable of another process is not visible by its plain name. */
active proctype P() { byte mine; mine = 1 }
active proctype Q() { assert(mine == 1) }
