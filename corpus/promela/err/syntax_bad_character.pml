/* A character that Promela does not know. */
byte x;
active proctype P() { x = 1 $ 2 }
