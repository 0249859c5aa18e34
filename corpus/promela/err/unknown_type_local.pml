/* A type that does not exist, in a message. */
chan c = [1] of { byte, Packet };
active proctype P() { skip }
