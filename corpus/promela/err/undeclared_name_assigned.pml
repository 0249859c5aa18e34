/* Assigning to a variable that nobody declared. */
active proctype P()
{
    counter = 1
}
