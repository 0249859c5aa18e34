/* Behind the receiver's atomic the sender goes on like everybody else. */
chan c = [0] of { byte };
byte x;
active proctype A() { atomic { c!1; x = x + 10; x = x + 10 } }
active proctype B() { byte v; atomic { c?v; x = 1 }; x = 2 }
