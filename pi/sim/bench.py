"""The fittings of the simulated table: mock pins, and what stands behind them.

The same drivers as on a Pi work on gpiozero's mock pins; this is the other side of the wires:
fingers on the seats' buttons (which bounce), the lights and the buzzer, the shuffler
(:mod:`pi.sim.machine`) and the person who loads and stacks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

from engine.cards import Seat
from pi.gpio import Factory, Pins, open_factory
from pi.settings import SensorKind
from pi.sim.machine import Machine

_SECOND_US: Final = 1_000_000
#: A button goes down, chatters, stays, and comes up: (after the press, whether closed).
_SHORT: Final = ((0, True), (4_000, False), (7_000, True), (160_000, False), (163_000, True))
_UP: Final = ((166_000, False),)
_DOUBLE_US: Final = 280_000
_LONG_US: Final = 1_400_000
#: What the person takes: to load, to stack the piles, before trying again, to shuffle by hand.
_LOAD_US: Final = 800_000
_STACK_US: Final = 1_300_000
_WAIT_US: Final = 3_000_000
_PATIENCE_US: Final = 8_000_000
_FREE_US: Final = 3_000_000
_BY_HAND_US: Final = 4_000_000
_FORGETS_US: Final = 25_000_000
#: After so many presses that started nothing it is done by hand.
_TRIES: Final = 3

Stage: TypeAlias = Literal[
    "away", "loading", "waiting", "running", "piles", "forgetting", "freeing", "by_hand"
]


@dataclass(slots=True, kw_only=True)
class _Loader:
    """The person at the shuffler: what they are about, and since when."""

    seat: Seat = 0
    stage: Stage = "away"
    since_us: int = 0
    passes_left: int = 0
    #: Presses so far, and those since the last pass.
    presses: int = 0
    in_vain: int = 0
    #: Passes of this request after which the piles are forgotten for a while, from 1.
    forgets: frozenset[int] = frozenset()
    wanted: int = 0


class Bench:
    """Advance it to each moment; it reads the output pins and works the input pins."""

    def __init__(
        self,
        *,
        pins: Pins | None = None,
        factory: Factory | None = None,
        machine: Machine | None = None,
        cards: int = 24,
        sensors: Sequence[SensorKind] = get_args(SensorKind),
    ) -> None:
        self.pins = pins if pins is not None else Pins()
        self.factory = factory if factory is not None else open_factory("mock")
        self.machine = machine if machine is not None else Machine()
        self.now_us = 0
        self._cards = cards
        self._sensors = tuple(sensors)
        self._loader = _Loader()
        self._fingers: list[tuple[int, Seat, bool]] = []
        self._seen_states = 0
        self._asks: Callable[[], bool] | None = None

    # --- people --------------------------------------------------------------------------------

    @property
    def away(self) -> bool:
        """The pack is back in the dealer's hands."""
        return self._loader.stage == "away"

    def begin_shuffle(
        self, *, seat: Seat, passes: int, at_us: int, forgets: frozenset[int] = frozenset()
    ) -> None:
        """The dealer takes the pack to the shuffler, loads it and presses the seat's button."""
        self._loader = _Loader(
            seat=seat, passes_left=passes, wanted=passes, forgets=forgets, since_us=at_us
        )
        self._to("loading", at_us)

    def reads(self, more: Callable[[], bool]) -> None:
        """The dealer looks after every pass whether the kit wants more."""
        self._asks = more

    def press(self, seat: Seat, *, at_us: int) -> None:
        """A finger on the seat's button, short."""
        self._fingers += [(at_us + after, seat, closed) for after, closed in (*_SHORT, *_UP)]

    def press_twice(self, seat: Seat, *, at_us: int) -> None:
        """Two short presses in quick succession."""
        self.press(seat, at_us=at_us)
        self.press(seat, at_us=at_us + _DOUBLE_US)

    def press_long(self, seat: Seat, *, at_us: int, held_us: int = _LONG_US) -> None:
        """A finger that stays on the seat's button."""
        self._fingers += [(at_us, seat, True), (at_us + held_us, seat, False)]

    # --- time ----------------------------------------------------------------------------------

    def advance(self, at_us: int) -> None:
        """Everything that happens up to ``at_us``."""
        for due_us, seat, closed in sorted(p for p in self._fingers if p[0] <= at_us):
            self.now_us = max(self.now_us, due_us)
            self._drive(self.pins.buttons[seat], closed)
        self._fingers = [p for p in self._fingers if p[0] > at_us]
        self.now_us = max(self.now_us, at_us)
        touched, pulses = self._relay()
        self.machine.advance(at_us, touched=touched, pulses=pulses)
        self._person(at_us)
        for sensor in self._sensors:
            self._drive(getattr(self.pins, sensor), self.machine.shows(sensor))

    def _relay(self) -> tuple[bool, int]:
        """Whether the relay is on, and how often it went on since the last look."""
        states = self._pin(self.pins.touch).states
        fresh = states[self._seen_states :]
        before = states[self._seen_states - 1].state if self._seen_states else False
        self._seen_states = len(states)
        pulses = 0
        for state in fresh:
            pulses += bool(state.state and not before)
            before = state.state
        return bool(before), pulses

    def _person(self, at_us: int) -> None:
        loader, machine = self._loader, self.machine
        waited_us = at_us - loader.since_us
        match loader.stage:
            case "loading" if waited_us >= _LOAD_US:
                machine.load(self._cards)
                if loader.presses == 0:
                    self._ask(at_us)
                self._to("waiting", at_us)
            case "waiting" if machine.running:
                self._to("running", at_us)
            case "waiting" if self._lies_in_piles:
                # It ran while nobody looked.
                self._pass_over(at_us)
            case "waiting" if waited_us >= self._patience_us():
                if loader.in_vain >= _TRIES:
                    machine.clear()
                    self._to("by_hand", at_us)
                else:
                    self._ask(at_us)
                    self._to("waiting", at_us)
            case "running" if machine.jammed:
                self._to("freeing", at_us)
            case "running" if not machine.running:
                self._pass_over(at_us)
            case "freeing" if waited_us >= _FREE_US:
                machine.clear()
                machine.load(self._cards)
                self._ask(at_us + _SECOND_US)
                self._to("waiting", at_us)
            case "forgetting" if waited_us >= _FORGETS_US:
                self._to("piles", at_us)
            case "piles" if waited_us >= _STACK_US:
                machine.take_piles()
                self._to("loading" if self._more() else "away", at_us)
            case "by_hand" if waited_us >= _BY_HAND_US:
                self.press_twice(loader.seat, at_us=at_us)
                self._to("away", at_us)
            case _:
                pass

    def _more(self) -> bool:
        """Whether another pass is wanted: as the kit says, else as the dealer meant to do."""
        return self._loader.passes_left > 0 if self._asks is None else self._asks()

    def _patience_us(self) -> int:
        """A kit with no eye on the tray has to be told every time, so the person does not wait."""
        if "hopper" not in self._sensors or self._loader.presses < 2:
            return _WAIT_US
        return _PATIENCE_US

    @property
    def _lies_in_piles(self) -> bool:
        machine = self.machine
        return bool(machine.left and machine.right and not machine.tray and not machine.running)

    def _pass_over(self, at_us: int) -> None:
        loader = self._loader
        loader.passes_left -= 1
        loader.in_vain = 0
        done = loader.wanted - loader.passes_left
        self._to("forgetting" if done in loader.forgets else "piles", at_us)

    def _ask(self, at_us: int) -> None:
        self._loader.presses += 1
        self._loader.in_vain += 1
        self.press(self._loader.seat, at_us=at_us)

    def _to(self, stage: Stage, at_us: int) -> None:
        self._loader.stage = stage
        self._loader.since_us = at_us

    # --- wires ---------------------------------------------------------------------------------

    def lit(self) -> tuple[bool, ...]:
        """Which seats' lights are on, as a person at the table sees it."""
        return tuple(self._pin(pin).state > 0.5 for pin in self.pins.lights)

    def close(self) -> None:
        self.factory.close()

    def _pin(self, number: int) -> Any:
        return self.factory.pin(number)

    def _drive(self, number: int, closed: bool) -> None:
        """A contact to ground: closed pulls the pin low."""
        pin = self._pin(number)
        if closed:
            pin.drive_low()
        else:
            pin.drive_high()
