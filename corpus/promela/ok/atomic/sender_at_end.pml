/* A rendezvous as the last statement of atomic. */
chan c = [0] of { byte };
byte x;
active proctype Sender() { atomic { x = 1; c!1 }; x = 3 }
active proctype Receiver() { byte v; c?v; x = 2 }
