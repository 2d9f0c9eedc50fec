"""The fittings of the simulated table: mock pins, and what stands behind them.

The same drivers as on a Pi work on gpiozero's mock pins; this is the other side of the wires:
fingers on the seats' buttons (which bounce), the shuffler, and the person who loads and stacks.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from engine.cards import Seat
from pi.gpio import Factory, Pins, open_factory

_SECOND_US: Final = 1_000_000
#: What a person takes to load the tray and to stack the piles, and the machine for a pass.
_LOAD_US: Final = 800_000
_PASS_US: Final = 5_000_000
_STACK_US: Final = 1_300_000
#: A button goes down, chatters, stays, and comes up: (after the press, whether closed).
_PRESS: Final = ((0, True), (4_000, False), (7_000, True), (160_000, False))
#: The person waits this long for the machine, then shuffles by hand.
_PATIENCE_US: Final = 12_000_000
_BY_HAND_US: Final = 3_000_000

Stage: TypeAlias = Literal["away", "loading", "loaded", "running", "piles", "by_hand"]


class Bench:
    """Advance it to each moment; it reads the touch pin and works the input pins."""

    def __init__(self, *, pins: Pins | None = None, factory: Factory | None = None) -> None:
        self.pins = pins if pins is not None else Pins()
        self.factory = factory if factory is not None else open_factory("mock")
        self.now_us = 0
        self._stage: Stage = "away"
        self._since_us = 0
        self._passes_left = 0
        self._touched = False
        self._presses: list[tuple[int, Seat, bool]] = []

    @property
    def away(self) -> bool:
        """The pack is back in the dealer's hands."""
        return self._stage == "away"

    def begin_shuffle(self, *, seat: Seat, passes: int, at_us: int) -> None:
        """The dealer presses the button and goes to load the tray."""
        self._passes_left = passes
        self._presses += [(at_us + after, seat, closed) for after, closed in _PRESS]
        self._to("loading", at_us)

    def press(self, seat: Seat, *, at_us: int) -> None:
        """A finger on the seat's button."""
        self._presses += [(at_us + after, seat, closed) for after, closed in _PRESS]

    def advance(self, at_us: int) -> None:
        """Everything that happens up to ``at_us``; touches must come at least 100 ms apart."""
        for due_us, seat, closed in sorted(p for p in self._presses if p[0] <= at_us):
            self.now_us = max(self.now_us, due_us)
            self._drive(self.pins.buttons[seat], closed)
        self._presses = [p for p in self._presses if p[0] > at_us]
        self.now_us = max(self.now_us, at_us)
        touched = self._pin(self.pins.touch).state > 0.5
        rose = touched and not self._touched
        self._touched = touched
        waited_us = at_us - self._since_us
        match self._stage:
            case "loading" if waited_us >= _LOAD_US:
                self._trays(hopper=True, piles=False)
                self._to("loaded", at_us)
            case "loaded" if rose:
                self._to("running", at_us)
            case "loaded" if waited_us >= _PATIENCE_US:
                self._trays(hopper=False, piles=False)
                self._to("by_hand", at_us)
            case "by_hand" if waited_us >= _BY_HAND_US:
                self._to("away", at_us)
            case "running" if waited_us >= _PASS_US:
                self._trays(hopper=False, piles=True)
                self._passes_left -= 1
                self._to("piles", at_us)
            case "piles" if waited_us >= _STACK_US:
                self._trays(hopper=False, piles=False)
                self._to("loading" if self._passes_left else "away", at_us)
            case _:
                pass

    def lit(self) -> tuple[bool, ...]:
        """Which seats' lights are on, as a person at the table sees it."""
        return tuple(self._pin(pin).state > 0.5 for pin in self.pins.lights)

    def close(self) -> None:
        self.factory.close()

    def _to(self, stage: Stage, at_us: int) -> None:
        self._stage = stage
        self._since_us = at_us

    def _trays(self, *, hopper: bool, piles: bool) -> None:
        self._drive(self.pins.hopper, hopper)
        self._drive(self.pins.left, piles)
        self._drive(self.pins.right, piles)

    def _pin(self, number: int) -> Any:
        return self.factory.pin(number)

    def _drive(self, number: int, closed: bool) -> None:
        """A contact to ground: closed pulls the pin low."""
        pin = self._pin(number)
        if closed:
            pin.drive_low()
        else:
            pin.drive_high()
