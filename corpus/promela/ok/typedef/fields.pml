/* A typedef has fields; a variable of it is a record. */
typedef Point { byte x; byte y };
Point p;
active proctype P() { p.x = 1; p.y = p.x + 1; assert(p.x == 1 && p.y == 2) }
