/* A choice as the escape: any of its options interrupts. */
byte x; bool a, b;
active proctype P() { { x = 1; false } unless { if :: a -> x = 10 :: b -> x = 20 fi } }
active proctype Q() { if :: a = true :: b = true fi }
