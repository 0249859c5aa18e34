/* Three processes in a ring of atomic sequences: the guard decides whose turn it is. */
byte turn;
active [3] proctype P() { do :: atomic { turn == _pid -> turn = (turn + 1) % 3 } od }
