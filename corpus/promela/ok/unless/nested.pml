/* Nested escapes: each one interrupts everything inside it. */
byte x; bool a, b;
active proctype P() { { { x = 1; x = 2 } unless { a -> x = 10 } } unless { b -> x = 20 } }
active proctype Q() { a = true; b = true }
