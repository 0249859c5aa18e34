/* Formulas about where processes are, with one that starts another and one that comes to its end. */
byte alive;

proctype worker() {
start:
	alive++;
work:
	skip;
done:
	alive--;
	if
	:: goto start
	:: skip
	fi
}

init {
	run worker();
	skip;
rest:
	skip
}

ltl few { [] (alive <= 1) }
ltl comes { <> (alive == 1) }
ltl comes_again { [] <> (alive == 1) }
ltl goes { [] <> (alive == 0) }
ltl at_work { <> (worker[1]@work) }
ltl done_after_work { [] ((worker[1]@work) -> <> (worker[1]@done)) }
ltl never_done { [] !(worker[1]@done) }
ltl settles { <> [] (alive == 1) }
ltl alternation { [] (alive == 1 -> (alive == 1 U alive == 0)) }
ltl equivalence { [] ((worker[1]@work) <-> (alive == 1)) }
ltl working_is_alive { [] ((worker[1]@work) -> (alive == 1)) }
