/* An expression statement may stand in parentheses, with or without an arrow behind it. */
byte x;
active proctype P() { (x == 0); ((x) == (0)) -> x = 1; (x) }
