/* A lock that is tested and set in two steps excludes nobody. */
bool locked;
byte inside;

active [2] proctype user() {
	do
	:: !locked;
		locked = true;
		inside++;
		inside--;
		locked = false
	od
}

ltl exclusion { [] (inside < 2) }
ltl never_three { [] (inside < 3) }
ltl both_some_time { <> (inside == 2) }
ltl not_both_always { !([] <> (inside == 2)) }
ltl locked_when_inside { [] (inside == 1 -> locked) }
ltl alive { [] <> (inside == 0) }
ltl progress { [] (locked -> <> !locked) }
ltl first_lock { inside == 0 U locked }
