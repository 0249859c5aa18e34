/* So many processes that the steps of one state would fill the memory. */
active [60000] proctype P() { byte x; x = 1 }
