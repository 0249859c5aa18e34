/* A rendezvous sent from atomic to a receiver that is not atomic: the sender loses control. */
chan c = [0] of { byte };
byte x;
active proctype Sender() { atomic { c!1; x = 1; x = 2 } }
active proctype Receiver() { byte v; c?v; v = 3 }
active proctype Other() { assert(x != 1) }
