#!/usr/bin/env python3
"""A lamp with a timer and a clock of its own, to be tested by `fathom drive examples/online/lamp.xta --unit 100ms`.

Lines of JSON on standard input and output. `lamp.py SECONDS [FAULT]`: the length of a unit of time, and a fault: too-late, too-early, never-bright.
The time until it goes off is no multiple of anything: it runs from the press.
"""
import json
import queue
import sys
import threading
import time

SOON = 3
UNTIL_OFF = 5


class Lamp:
    def __init__(self, unit, fault):
        self.unit = unit
        self.fault = fault
        self.light = "Off"
        self.pressed = 0.0

    def until_off(self):
        return {"too-late": UNTIL_OFF + 2, "too-early": UNTIL_OFF - 2}.get(self.fault, UNTIL_OFF) * self.unit

    def press(self):
        """Gives what the lamp does at once."""
        now = time.monotonic()
        is_soon = now - self.pressed <= SOON * self.unit
        if self.light == "Bright":
            self.light = "Off"
        elif self.light == "Dim" and is_soon and self.fault != "never-bright":
            self.light = "Bright"
        else:
            self.light = "Dim"
        self.pressed = now
        return self.light

    def wait(self):
        """Seconds until it goes off by itself; None when it is off."""
        return None if self.light == "Off" else max(0.0, self.pressed + self.until_off() - time.monotonic())


def say(message):
    print(json.dumps(message), flush=True)


def main():
    unit, fault = float(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    lines = queue.Queue()

    def read():
        for line in sys.stdin:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    lamp = Lamp(unit, fault)
    while True:
        try:
            line = lines.get(timeout=lamp.wait())
        except queue.Empty:
            lamp.light = "Off"
            say({"observed": "Off"})
            continue
        if line is None:
            return
        told = json.loads(line)
        if "stop" in told:
            return
        if "reset" in told:
            lamp = Lamp(unit, fault)
            say({"ready": True})
        elif told["name"] == "Press":
            say({"done": True, "observed": [lamp.press()]})
        else:
            say({"refused": "a lamp has one button"})


if __name__ == "__main__":
    main()
