/* A process cannot be started inside d_step. */
proctype Child() { skip }
init
{
    d_step { skip; run Child() }
}
