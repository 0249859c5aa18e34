/* The capacity of a channel must be a constant. */
byte n = 3;
chan c = [n] of { byte };
active proctype P() { c!1 }
