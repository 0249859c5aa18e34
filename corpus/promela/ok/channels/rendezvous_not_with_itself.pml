/* A process cannot meet itself. */
chan c = [0] of { byte };
active proctype P() { byte v; if :: c!7 :: c?v fi }
