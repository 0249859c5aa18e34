/* Conditionals inside conditionals, with arithmetic. */
#define SIZE 5
#if SIZE > 3
#  if (SIZE % 2) == 1 && !defined(MISSING)
#    define ODD 1
#  else
#    define ODD 0
#  endif
#else
#  error not reached
#endif
active proctype P() { assert(ODD) }
