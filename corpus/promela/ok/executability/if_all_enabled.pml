/* Every executable option of an if is explored. */
byte x;
active proctype P() { if :: x = 1 :: x = 2 :: true -> x = 3 :: false -> x = 4 fi; x = x + 10 }
