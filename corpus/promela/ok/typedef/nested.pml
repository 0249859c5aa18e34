/* Records inside records. */
typedef Inner { byte a; bit b };
typedef Outer { Inner first; short n; Inner second };
Outer o;
active proctype P() { o.first.a = 3; o.second.a = o.first.a + 1; o.second.b = 1; o.n = -1; assert(o.first.a == 3 && o.second.a == 4 && !o.first.b) }
