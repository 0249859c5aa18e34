/* A sender and a receiver with a channel of two places, for ever. */
mtype = { ping, pong };
chan wire = [2] of { mtype };
byte sent, received;
mtype last_seen;

active proctype sender() {
	do
	:: atomic { wire!ping; sent = (sent + 1) % 4 }
	:: atomic { wire!pong; sent = (sent + 1) % 4 }
	od
}

active proctype receiver() {
	do
	:: atomic { wire?last_seen; received = (received + 1) % 4 }
	od
}

ltl bounded { [] (len(wire) <= 2) }
ltl fills { [] <> (len(wire) == 2) }
ltl empties { [] <> (len(wire) == 0) }
ltl goes_on { [] <> (received == 3) }
ltl delivers { [] (len(wire) > 0 -> <> (received != 0)) }
ltl sees_ping { <> (last_seen == ping) }
ltl order { (received == 0) U (sent == 1) }
ltl weak_order { (received == 0) W (sent == 1) }
ltl ahead { [] ((sent + 4 - received) % 4 == len(wire)) }
ltl settles { <> [] (last_seen == pong) }
