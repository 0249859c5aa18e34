/* #if, #elif, #else, #ifdef, #ifndef and defined choose the text. */
#define LEVEL 2
#define ON
#if LEVEL == 1
byte x = 1;
#elif LEVEL == 2 && defined(ON)
byte x = 2;
#else
byte x = 3;
#endif
#ifndef ON
#define RESULT 9
#else
#define RESULT 2
#endif
#undef ON
#ifdef ON
this text is not Promela
#endif
active proctype P() { assert(x == RESULT) }
