/* A call as an option: its first statement is the guard. */
byte x;
inline step_to(n) { x == n - 1; x = n }
active proctype P() { do :: step_to(1) :: step_to(2) :: x == 2 -> break od }
