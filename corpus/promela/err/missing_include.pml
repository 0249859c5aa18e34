/* A file that does not exist. */
#include "there_is_no_such_file.pml"
active proctype P() { skip }
