/* Two processes with only atomic guards: the guard decides who goes. */
byte turn;
active [3] proctype P() { do :: atomic { turn == _pid -> turn = (turn + 1) % 3 } od }
