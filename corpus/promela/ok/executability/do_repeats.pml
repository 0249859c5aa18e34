/* do repeats until break; every executable option is explored. */
byte x;
active proctype P() { do :: x < 3 -> x++ :: x > 0 -> x-- :: x == 2 -> break od }
