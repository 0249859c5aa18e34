/* The length of an array cannot be negative. */
#define SIZE 2
byte a[SIZE - 5];
active proctype P() { skip }
