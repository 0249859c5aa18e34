/* xr and xs promise that nobody else receives or sends; they change no behaviour. */
chan c = [1] of { byte };
active proctype S() { xs c; c!1; c!2 }
active proctype R() { xr c; byte v; c?v; c?v; assert(v == 2) }
