"""Putting the table's fittings on their pins: buttons, lights, buzzer, shuffler."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from engine.commands import ReportShuffle
from engine.state import State
from pi.gpio import Factory
from pi.settings import KitSettings, SensorKind
from pi.shuffling.attendant import Attendant
from pi.shuffling.memory import Memory
from pi.shuffling.passes import AT_REST, Times
from pi.shuffling.touch import GUARD_S, TouchShuffler, fitted_pins
from pi.tending import Fittings

#: What stays of the shuffler's work over a restart, beside the log.
MEMORY_NAME = "shuffler.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wired:
    """The pins to use, and the clock that the fittings are driven by.

    ``sensors``: those of the shuffler that are wired. ``own_clock``: nobody's frames drive it,
    it has to be asked for the time. ``guard_s``: the longest touch on the clock on the wall.
    ``reads``: somebody at the (simulated) table who wants to know whether passes are to come.
    """

    factory: Factory
    now_us: Callable[[], int]
    sensors: tuple[SensorKind, ...]
    own_clock: bool
    guard_s: float = GUARD_S
    reads: Callable[[Callable[[], bool]], None] | None = None


def open_fittings(
    wired: Wired,
    settings: KitSettings,
    *,
    game: Callable[[], State],
    report: Callable[[ReportShuffle], str | None],
    closing: ExitStack,
) -> Fittings:
    """Open them all; ``closing`` puts lights out and lets go of the shuffler.

    Raises what gpiozero raises when a pin is taken.
    """
    from pi.buttons import SeatButtons
    from pi.lights import PinBuzzer, SeatLights

    pins, factory = settings.pins, wired.factory
    # The shuffler first: its relay is off from then on, whatever else fails to open.
    shuffling = None
    if settings.shuffler.fitted:
        shuffler = TouchShuffler(
            factory,
            touch=pins.touch,
            sensors=fitted_pins(pins, wired.sensors),
            guard_s=wired.guard_s,
        )
        closing.callback(shuffler.close)
        shuffling = Attendant(
            shuffler,
            game=game,
            report=report,
            now_us=wired.now_us,
            sensors=wired.sensors,
            times=Times(pass_us=round(settings.shuffler.pass_s * 1e6)),
            passes=max(settings.passes, 1),
            second_pack=settings.shuffler.second_pack,
            memory=Memory(memory_path(settings)),
        )
    if shuffling is not None and wired.reads is not None:
        attendant = shuffling
        wired.reads(lambda: attendant.work.phase not in AT_REST)
    buttons = SeatButtons(factory, pins.buttons, now_us=wired.now_us)
    closing.callback(buttons.close)
    lights = SeatLights(factory, pins.lights)
    closing.callback(lights.close)
    buzzer = PinBuzzer(factory, pins.buzzer)
    closing.callback(buzzer.close)
    return Fittings(buttons=buttons, lights=lights, buzzer=buzzer, shuffling=shuffling)


def memory_path(settings: KitSettings) -> Path | None:
    """Where the shuffler's work is kept; None where no log is."""
    return None if settings.log is None else settings.log.with_name(MEMORY_NAME)
