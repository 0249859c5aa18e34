/* Two atomic sequences one after the other can be interrupted in between. */
byte x;
active proctype P() { atomic { x = 1; x = 2 }; atomic { x = 3; x = 4 } }
active proctype Q() { assert(x != 1 && x != 3); assert(x != 2) }
