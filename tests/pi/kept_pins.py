"""Mock pins that outlive their program, as a Raspberry Pi's kernel keeps them.

Each change of an output is appended to a file: ``moment pin level``. A program that is killed
leaves its pins as they were, until another one drives them. Run as a script it is such a program:
``kept_pins.py touch|off|leave|raise FILE``.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPin

from pi.gpio import Pins
from pi.shuffling.touch import TouchShuffler, outputs_off


def kept_factory(file: Path) -> MockFactory:
    """Mock pins whose outputs are kept in ``file``."""

    class KeptPin(MockPin):
        def _change_state(self, value: bool) -> Any:
            changed = super()._change_state(value)
            # Driving an output counts even where the fresh mock believes it is off already.
            if self.function == "output":
                with file.open("a") as kept:
                    kept.write(f"{time.monotonic()} {self.info.name} {int(value)}\n")
            return changed

    return MockFactory(pin_class=KeptPin)


def levels(file: Path) -> dict[str, list[tuple[float, int]]]:
    """By pin: (moment, level) of everything it was driven to."""
    told: dict[str, list[tuple[float, int]]] = {}
    for line in file.read_text().splitlines() if file.exists() else ():
        moment, pin, level = line.split()
        told.setdefault(pin, []).append((float(moment), int(level)))
    return told


def longest_on_s(history: list[tuple[float, int]]) -> float:
    """The longest time the pin was on; on at the end counts up to now."""
    longest, since = 0.0, None
    for moment, level in [*history, (time.monotonic(), history[-1][1])]:
        if since is not None:
            longest = max(longest, moment - since)
        if not level:
            since = None
        elif since is None:
            since = moment
    return longest


def main(what: str, file: Path) -> None:
    factory = kept_factory(file)
    pins = Pins()
    if what == "off":
        outputs_off(factory, pins)
        factory.close()
        return
    shuffler = TouchShuffler(factory, touch=pins.touch, sensors={})
    assert shuffler.touch(time.monotonic_ns() // 1000)
    print("touching", flush=True)
    match what:
        case "touch":
            # Nobody ticks: the guard is alone.
            time.sleep(5)
        case "leave":
            return
        case "raise":
            raise RuntimeError("the program fails in the middle of a touch")
        case "terminate":
            os.kill(os.getpid(), 15)
            time.sleep(5)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
