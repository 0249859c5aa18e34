/* break as the only statement of an option is a transition. */
byte x;
active proctype P() { do :: x < 3 -> x++ :: break od; x = 9 }
