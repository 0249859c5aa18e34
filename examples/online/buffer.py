#!/usr/bin/env python3
"""A buffer with room for three, to be tested by `fathom drive examples/online/buffer.cs`.

Lines of JSON on standard input and output. `buffer.py FAULT` switches a fault on: newest-first, drops-when-full, counts-wrong-when-full, crashes.
"""
import json
import sys

ROOM = 3


class Buffer:
    def __init__(self, fault):
        self.fault = fault
        self.values = []

    def do(self, name, arguments):
        """Carries out an action; gives what is observed at once, or None for what is refused."""
        if name == "Put" and len(self.values) < ROOM:
            if self.fault != "drops-when-full" or len(self.values) < ROOM - 1:
                self.values.append(arguments[0])
            return []
        if name == "Take" and self.values:
            place = -1 if self.fault == "newest-first" else 0
            return [f"Taken({self.values.pop(place)})"]
        if name == "Count":
            is_wrong = self.fault == "counts-wrong-when-full" and len(self.values) == ROOM
            return [f"Counted({len(self.values) - is_wrong})"]
        if name == "Clear" and self.values:
            if self.fault == "crashes":
                raise RuntimeError("cleared")
            self.values.clear()
            return []
        return None


def main():
    fault = sys.argv[1] if len(sys.argv) > 1 else None
    buffer = Buffer(fault)
    for line in sys.stdin:
        told = json.loads(line)
        if "stop" in told:
            return
        if "reset" in told:
            buffer = Buffer(fault)
            said = {"ready": True}
        else:
            observed = buffer.do(told["name"], told["arguments"])
            said = {"refused": "not now"} if observed is None else {"done": True, "observed": observed}
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
