/* Two philosophers who take the left fork first: they may starve each other, once for all. */
bool taken[2];
byte eating, meals;

active [2] proctype philosopher() {
	do
	:: atomic { !taken[_pid] -> taken[_pid] = true };
		atomic { !taken[1 - _pid] -> taken[1 - _pid] = true; eating++ };
		meals = 1;
		atomic { taken[_pid] = false; taken[1 - _pid] = false; eating-- }
	od
}

ltl one_eats { [] (eating <= 1) }
ltl somebody_eats { <> (eating == 1) }
ltl always_again { [] <> (eating == 1) }
ltl stuck { <> [] (taken[0] && taken[1] && eating == 0) }
ltl not_stuck { !(<> [] (taken[0] && taken[1] && eating == 0)) }
ltl fork_before_meal { (meals == 0) W (taken[0] && taken[1]) }
ltl meal_needs_forks { [] (eating == 1 -> (taken[0] && taken[1])) }
ltl meals_stay { [] (meals == 1 -> [] (meals == 1)) }
