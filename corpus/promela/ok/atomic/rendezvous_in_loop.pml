/* A server loop in atomic: control goes to and fro. */
chan ask = [0] of { byte };
chan tell = [0] of { byte };
byte sum;
active proctype Server() { byte v; end: do :: atomic { ask?v; tell!v + 1 } od }
active proctype Client() { byte r; atomic { ask!1; tell?r; sum = sum + r; ask!5; tell?r; sum = sum + r }; assert(sum == 8) }
active proctype Other() { assert(sum == 0 || sum == 2 || sum == 8) }
