/* Questions about a channel may guard statements of other processes. */
chan c = [1] of { byte };
byte x;
active proctype P() { do :: x < 3 && nfull(c) -> c!x; x++ :: x == 3 -> break od }
active proctype Q() { byte v; do :: nempty(c) -> c?v :: x == 3 && empty(c) -> break od }
