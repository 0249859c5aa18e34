/* else belongs to the innermost if or do. */
byte x, y;
active proctype P() {
    do
    :: x < 2 -> x++;
       if :: x == 1 -> y = 1 :: else -> y = 2 fi
    :: else -> break
    od
}
