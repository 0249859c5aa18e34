/* A receive may assign to array elements. */
chan c = [2] of { byte, byte };
byte a[3]; byte i = 1, j;
active proctype P() { c!2,9; c?j,a[i]; assert(j == 2 && a[1] == 9); c!1,8; c?a[0],a[j]; assert(a[0] == 1 && a[2] == 8) }
