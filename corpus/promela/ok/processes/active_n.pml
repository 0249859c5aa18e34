/* active [n] starts n processes before init, with numbers from 0 in the order of the text. */
byte sum;
active [3] proctype A() { sum = sum + _pid; assert(_pid < 3) }
active proctype B() { assert(_pid == 3) }
init { assert(_pid == 4) }
