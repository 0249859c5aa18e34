/* A receiver in atomic keeps control after a rendezvous with a sender that is not atomic. */
chan c = [0] of { byte };
byte x;
active proctype Sender() { c!1; x = x + 10 }
active proctype Receiver() { byte v; atomic { c?v; x = 1; x = 2 } }
active proctype Other() { assert(x != 1) }
