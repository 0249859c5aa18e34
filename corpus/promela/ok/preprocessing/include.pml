/* #include puts the text of a sibling file in its place. */
#include "shared.inc"
active proctype P() { bump(counter); assert(counter == START + 1) }
