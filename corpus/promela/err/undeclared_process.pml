/* run of a process type that does not exist. */
init
{
    run Worker()
}
