/* More than 255 channels, and a channel number that does not fit into a byte. */
chan c[300] = [1] of { byte };
active proctype P() {
  chan d = c[299];
  d!7;
  assert(len(c[299]) == 1 && len(c[43]) == 0);
  assert(c[299]?[7])
}
