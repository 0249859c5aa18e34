/* Declarations in C. */
c_decl {
    typedef struct Pair { int a; int b; } Pair;
};
active proctype P() { skip }
