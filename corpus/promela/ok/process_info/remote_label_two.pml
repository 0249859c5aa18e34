/* Remote references choose the process by its number. */
active [2] proctype P() { skip; endhere: false }
active proctype Q() { P[0]@endhere && P[1]@endhere; assert(P[0]@endhere && P[1]@endhere) }
