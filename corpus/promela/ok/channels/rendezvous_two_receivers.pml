/* Any ready receiver may be the partner. */
chan c = [0] of { byte };
byte winner;
active [2] proctype R() { byte v; c?v; winner = _pid + v }
active proctype S() { c!1; c!1 }
