/* The microwave oven of Clarke, Grumberg and Peled (1999) as a graph of seven states. */
byte s = 1;

#define start (s == 2 || s == 5 || s == 6 || s == 7)
#define close (s >= 3)
#define heat (s == 4 || s == 7)
#define error (s == 2 || s == 5)

active proctype oven() {
	do
	:: atomic { s == 1 -> s = 2 }
	:: atomic { s == 1 -> s = 3 }
	:: atomic { s == 2 -> s = 5 }
	:: atomic { s == 3 -> s = 1 }
	:: atomic { s == 3 -> s = 6 }
	:: atomic { s == 4 -> s = 1 }
	:: atomic { s == 4 -> s = 3 }
	:: atomic { s == 4 -> s = 4 }
	:: atomic { s == 5 -> s = 2 }
	:: atomic { s == 5 -> s = 3 }
	:: atomic { s == 6 -> s = 7 }
	:: atomic { s == 7 -> s = 4 }
	od
}
