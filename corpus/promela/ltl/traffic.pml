/* Two lights of a crossing, switched in turn, and a walker who may press a button. */
mtype = { red, green };
mtype north = red, east = red;
bool wants, walks;

active proctype control() {
	do
	:: north = green; north = red;
		if
		:: wants -> walks = true; walks = false; wants = false
		:: !wants -> skip
		fi;
		east = green; east = red
	od
}

active proctype walker() {
	do
	:: !wants -> wants = true
	od
}

ltl safe { [] !(north == green && east == green) }
ltl walk_safe { [] (walks -> (north == red && east == red)) }
ltl north_again { [] <> (north == green) }
ltl walks_some_time { <> walks }
ltl answered { [] (wants -> <> walks) }
ltl alternates { [] ((north == green) -> ((north == green) U ((north == red) U (east == green)))) }
ltl pressed { [] <> wants }
ltl if_pressed { ([] <> wants) -> ([] <> walks) }
ltl cleared { [] (walks -> <> !wants) }
ltl not_before { !walks W wants }
