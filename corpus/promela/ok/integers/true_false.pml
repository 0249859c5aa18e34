/* true is 1, false is 0; a bool may be counted with. */
bool b = true; byte n;
active proctype P() { n = n + b + true; assert(n == 2); b = false; assert(b == 0); skip }
