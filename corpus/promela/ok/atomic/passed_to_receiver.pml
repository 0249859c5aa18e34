/* A rendezvous sent from atomic passes the control to a receiver that is atomic too. */
chan c = [0] of { byte };
byte x;
active proctype Sender() { atomic { c!1; x = 1; x = 2 } }
active proctype Receiver() { byte v; atomic { c?v; assert(x == 0); x = 9; x = 0 } }
active proctype Other() { assert(x != 9) }
