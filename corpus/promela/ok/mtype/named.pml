/* A named mtype is an enumeration of its own. */
mtype:fruit = { apple, pear };
mtype:size = { small, large };
mtype:fruit f = pear;
mtype:size s;
chan c = [1] of { mtype:fruit };
active proctype P() { s = large; c!apple; c?f; assert(f == apple && s == large); c!pear; c?pear }
