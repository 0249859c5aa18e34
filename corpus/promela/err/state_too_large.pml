/* Channels that are too large together are refused before they are built. */
chan c[60000] = [6000] of { int, int };
init { c[1]!1,1 }
