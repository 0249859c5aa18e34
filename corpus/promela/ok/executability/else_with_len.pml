/* else next to conditions on the length of a channel means: none of them is true. */
chan c = [1] of { byte };
byte seen;
active proctype Sender() { c!4 }
active proctype Watcher() {
    if
    :: len(c) == 1 -> seen = 1
    :: else -> seen = 3
    fi
}
