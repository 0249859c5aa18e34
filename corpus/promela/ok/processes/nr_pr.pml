/* _nr_pr counts the processes that have not died. */
proctype Child() { skip }
init { assert(_nr_pr == 1); run Child(); run Child(); assert(_nr_pr >= 1 && _nr_pr <= 3); _nr_pr == 1; assert(_nr_pr == 1) }
