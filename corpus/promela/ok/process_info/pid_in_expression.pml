/* _pid is the number of the process itself. */
byte a[3];
active [3] proctype P() { a[_pid] = _pid + 1; assert(a[_pid] == _pid + 1) }
