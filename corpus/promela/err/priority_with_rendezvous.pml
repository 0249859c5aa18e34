/* Nobody says what priorities mean for a rendezvous. */
chan c = [0] of { byte };
byte x;
active proctype P() priority 2 { c!1 }
active proctype Q() { c?x }
