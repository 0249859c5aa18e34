/* A structure that is too large is refused before it is built. */
typedef T { int a[60000] }
T u[60000];
init { skip }
