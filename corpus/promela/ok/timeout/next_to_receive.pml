/* timeout as an option: taken only when the receive and everybody else are stuck. */
chan c = [0] of { byte };
byte x;
active proctype Receiver() { do :: c?x :: timeout -> break od }
active proctype Sender() { c!1; c!2 }
