/* A process may wait for ever at a statement whose label starts with end. */
chan c = [0] of { byte };
active proctype Server() { byte v; end: do :: c?v od }
active proctype Client() { c!1; c!2 }
