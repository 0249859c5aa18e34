/* A channel declared inside atomic is there from the start of its process. */
byte x;
init {
  atomic {
    chan c = [1] of { byte };
    c!1;
    c?x
  }
}
