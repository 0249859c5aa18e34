/* Fields may have initial values, also in local records. */
typedef Cfg { byte limit = 5; bool on = true; byte a[2] = 3 };
active [2] proctype P() { Cfg c; assert(c.limit == 5 && c.on && c.a[1] == 3); c.limit = _pid }
