/* A channel declared among statements is there from the start of its process. */
byte x;
init {
  x = 1;
  chan c = [1] of { byte };
  c!1;
  c?x
}
