/* Arrays in records and arrays of records. */
typedef Row { byte cell[3] };
Row row[2];
active proctype P() { byte i = 1; row[i].cell[2] = 7; row[0].cell[i] = row[1].cell[i + 1] - 2; assert(row[0].cell[1] == 5 && row[1].cell[1] == 0) }
