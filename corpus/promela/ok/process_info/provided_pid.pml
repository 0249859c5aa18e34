/* The provided clause may use _pid and globals. */
byte turn;
active [2] proctype P() provided (turn == _pid) { skip; turn = 1 - turn; skip; turn = 1 - turn }
