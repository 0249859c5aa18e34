/* The alternating bit over a line that may lose messages: something gets through only if not everything is lost. */
chan to_receiver = [1] of { bit };
chan to_sender = [1] of { bit };
bit expected, current;
bool delivered, lost;

active proctype sender() {
	do
	:: to_receiver!current; lost = false
	:: to_sender?eval(current); current = 1 - current
	:: to_sender?eval(1 - current)
	:: nempty(to_receiver) && full(to_sender) -> skip
	od
}

active proctype line() {
	do
	:: atomic { to_receiver?_; lost = true }
	od
}

active proctype receiver() {
	bit b;
	do
	:: atomic { to_receiver?b -> delivered = (b == expected) };
		if
		:: b == expected -> expected = 1 - expected; delivered = false
		:: else
		fi;
		to_sender!b
	od
}

ltl eventually_delivered { <> delivered }
ltl often { [] <> delivered }
ltl unless_lost { (<> [] !lost) -> (<> delivered) }
ltl bit_only { [] (current <= 1 && expected <= 1) }
ltl delivered_once { [] (delivered -> <> !delivered) }
ltl lost_for_ever { <> [] lost }
ltl nothing_first { !delivered W !lost }
