/* eval in a rendezvous receive. */
chan c = [0] of { byte };
byte want = 2;
active proctype P() { if :: c!1 :: c!2 fi }
active proctype Q() { c?eval(want) }
