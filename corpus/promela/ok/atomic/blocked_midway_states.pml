/* The state in which an atomic sequence is blocked is an ordinary state. */
chan c = [1] of { byte };
active proctype P() { atomic { c!1; c!2; c!3 } }
active proctype Q() { byte v; do :: c?v od }
