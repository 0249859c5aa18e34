/* What a channel held before is no part of the state, only its content is. */
chan c = [1] of { byte };
byte v;
active proctype P() { do :: c!1; c?v :: c!2; c?v; v = 1 od }
