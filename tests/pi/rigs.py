"""What stands on the other side of the fittings' wires in the contract tests.

:class:`MockRig` is the simulated bench on mock pins, its time handed in. :class:`PiRig` is a real
Raspberry Pi: outputs are read back with ``pinctrl``, a person presses, loads and lifts as the
terminal says, and time is the wall's. Pins are those of the kit's settings (``UPCARD_SETTINGS``).
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from typing import Any, Protocol

from pi.gpio import Factory, Pins, open_factory
from pi.ports import Press
from pi.settings import SensorKind, kit_settings
from pi.sim.bench import Bench
from pi.sim.machine import Machine

STEP_US = 20_000


class Rig(Protocol):
    """Hands, eyes and a clock."""

    factory: Factory
    pins: Pins

    def now_us(self) -> int: ...

    def wait(self, seconds: float, tick: Callable[[int], object]) -> None:
        """Let time pass, calling ``tick`` often with the time."""
        ...

    def press(self, seat: int, press: Press) -> None:
        """A finger will press so, beginning now or within the next wait."""
        ...

    def cards(self, sensor: SensorKind, lie_there: bool) -> None: ...

    def is_on(self, pin: int) -> bool:
        """The level of an output as its wire has it."""
        ...

    def close(self) -> None: ...


class MockRig:
    """The simulated bench."""

    def __init__(self) -> None:
        self.machine = Machine()
        self.bench = Bench(machine=self.machine, pins=Pins(camera=11))
        self.factory = self.bench.factory
        self.pins = self.bench.pins
        self._now_us = 1_000_000
        self.bench.now_us = self._now_us

    def now_us(self) -> int:
        return self.bench.now_us

    def wait(self, seconds: float, tick: Callable[[int], object]) -> None:
        end_us = self._now_us + round(seconds * 1e6)
        while self._now_us < end_us:
            self._now_us += STEP_US
            self.bench.advance(self._now_us)
            tick(self._now_us)

    def press(self, seat: int, press: Press) -> None:
        {
            "short": self.bench.press,
            "double": self.bench.press_twice,
            "long": self.bench.press_long,
        }[press](seat, at_us=self._now_us)

    def cards(self, sensor: SensorKind, lie_there: bool) -> None:
        self.machine.faults.stuck[sensor] = lie_there  # type: ignore[index]
        self.bench.advance(self._now_us)

    def is_on(self, pin: int) -> bool:
        return bool(self.factory.pin(pin).state)

    def close(self) -> None:
        self.bench.close()


class PiRig:
    """A Raspberry Pi with the fittings wired, and a person."""

    def __init__(self) -> None:
        self.factory: Any = open_factory("lgpio")
        self.pins = kit_settings(None).pins

    def now_us(self) -> int:
        return time.monotonic_ns() // 1000

    def wait(self, seconds: float, tick: Callable[[int], object]) -> None:
        end_s = time.monotonic() + seconds
        while time.monotonic() < end_s:
            tick(self.now_us())
            time.sleep(STEP_US / 1e6)

    def press(self, seat: int, press: Press) -> None:
        self._ask(f"within five seconds of Enter: a {press} press of seat {seat}'s button")

    def cards(self, sensor: SensorKind, lie_there: bool) -> None:
        what = "the motor turns" if sensor == "motor" else f"cards lie at the sensor {sensor}"
        self._ask(f"see to it that {what if lie_there else what + ' NO MORE'}")

    def is_on(self, pin: int) -> bool:
        told = subprocess.run(["pinctrl", "get", str(pin)], capture_output=True, check=True)
        return b"| hi" in told.stdout

    def close(self) -> None:
        self.factory.close()

    def _ask(self, text: str) -> None:
        with open("/dev/tty", "r+", encoding="utf-8") as terminal:
            print(f"\n>>> {text}, then Enter: ", end="", file=terminal, flush=True)
            terminal.readline()
