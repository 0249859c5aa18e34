/* A C function defined between the processes. */
byte x;
c_code {
    int twice(int n) { return 2 * n; }
}
active proctype P() { x = 1 }
