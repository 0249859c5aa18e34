/* Mutual exclusion of two by Peterson's algorithm: what it promises needs fairness, safety does not. */
bool flag[2];
byte turn, in_section;
bool critical[2];

active [2] proctype user() {
again:
	flag[_pid] = true;
	turn = 1 - _pid;
	(flag[1 - _pid] == false || turn == _pid);
	critical[_pid] = true;
	in_section++;
	in_section--;
	critical[_pid] = false;
	flag[_pid] = false;
	goto again
}

ltl exclusion { [] !(critical[0] && critical[1]) }
ltl at_most_one { [] (in_section <= 1) }
ltl somebody { [] <> (critical[0] || critical[1]) }
ltl each { [] <> critical[0] && [] <> critical[1] }
ltl response { [] (flag[0] -> <> critical[0]) }
ltl no_response { <> [] !critical[0] }
ltl leaves { [] (critical[0] -> <> !critical[0]) }
ltl asks_first { !critical[0] W flag[0] }
ltl asks_before { !critical[1] U flag[1] }
ltl released { [] (in_section == 1 -> (in_section == 1 U in_section == 0)) }
