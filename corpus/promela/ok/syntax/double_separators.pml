/* Several separators in a row, and one before a closing brace, count as one. */
byte x;
active proctype P() { x = 1;; x = 2; ; if :: x == 2; -> x = 3; :: else; fi; x = 4; }
