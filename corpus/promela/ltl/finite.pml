/* A run that ends repeats its last state for ever. */
byte x;

active proctype counter() {
	x = 1;
	x = 2;
	if
	:: x = 3
	:: x = 4
	fi
}

ltl ends { <> (x >= 3) }
ltl stays { <> [] (x >= 3) }
ltl ends_at_three { <> (x == 3) }
ltl not_for_ever_two { !(<> [] (x == 2)) }
ltl again { [] <> (x == 1) }
ltl grows { x < 2 U x == 2 }
ltl grows_to_five { x < 5 U x == 5 }
ltl weakly_below_five { x < 5 W x == 5 }
ltl release { (x == 3) V (x < 4) }
ltl release_holds { (x == 2) V (x <= 2) }
ltl one_of { (<> [] (x == 3)) || (<> [] (x == 4)) }
ltl both { (<> (x == 3)) && (<> (x == 4)) }
