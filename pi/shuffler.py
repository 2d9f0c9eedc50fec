"""The shuffler: when to touch it, and the pins that do.

A pass is one touch, some five seconds, two piles; then a person stacks the piles and loads
them again, so the kit cannot simply touch three times: it waits for the cards at every step,
each with a time limit. ``step`` is the whole of that as a pure function.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from engine.cards import SEAT_NAMES, Seat
from pi.gpio import Factory
from pi.ports import PassesDone, ShufflerNews, ShuffleStopped

MOST_PASSES: Final = 7
TOUCH_US: Final = 200_000
#: The touch is let go after this long on the clock on the wall, whatever happens.
_GUARD_S: Final = 0.5
#: Cards must lie still in the tray for this long before it is touched.
LOADED_US: Final = 400_000
#: A pass takes some five seconds; three times that is a jam.
PASS_LIMIT_US: Final = 15_000_000
#: Nobody loads the tray for this long: forget it.
LOAD_LIMIT_US: Final = 120_000_000

Phase: TypeAlias = Literal["idle", "wait_load", "loaded", "touching", "running"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensed:
    """Whether cards lie in the tray and in either pile."""

    hopper: bool
    left: bool
    right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Shuffling:
    phase: Phase = "idle"
    since_us: int = 0
    seat: Seat = 0
    wanted: int = 0
    done: int = 0


def step(state: Shuffling, sensed: Sensed, *, at_us: int) -> tuple[Shuffling, ShufflerNews | None]:
    """The next state at ``at_us``; the touch pin is on exactly while the phase is touching."""
    waited_us = at_us - state.since_us

    def to(phase: Phase) -> Shuffling:
        return replace(state, phase=phase, since_us=at_us)

    def stopped(reason: str) -> tuple[Shuffling, ShufflerNews]:
        news = ShuffleStopped(at_us=at_us, seat=state.seat, passes_done=state.done, reason=reason)
        return Shuffling(since_us=at_us), news

    match state.phase:
        case "wait_load":
            if sensed.hopper and not (sensed.left or sensed.right):
                return to("loaded"), None
            if waited_us >= LOAD_LIMIT_US:
                return stopped("Nobody loaded the shuffler: press the button to begin again.")
        case "loaded":
            if not sensed.hopper or sensed.left or sensed.right:
                return to("wait_load"), None
            if waited_us >= LOADED_US:
                return to("touching"), None
        case "touching":
            if waited_us >= TOUCH_US:
                return to("running"), None
        case "running":
            if not sensed.hopper and sensed.left and sensed.right:
                done = state.done + 1
                if done == state.wanted:
                    news = PassesDone(at_us=at_us, seat=state.seat, passes=done)
                    return Shuffling(since_us=at_us), news
                return replace(to("wait_load"), done=done), None
            if waited_us >= PASS_LIMIT_US:
                return stopped(
                    "The shuffler did not finish its pass: free the cards, square the pack "
                    "and press the button again."
                )
        case "idle":
            pass
    return state, None


class TouchShuffler:
    """The real pins round :func:`step`. Closing it, or losing the program, releases the touch."""

    def __init__(self, factory: Factory, *, touch: int, hopper: int, left: int, right: int) -> None:
        from gpiozero import DigitalInputDevice, DigitalOutputDevice

        self._touch: Any = DigitalOutputDevice(touch, initial_value=False, pin_factory=factory)
        self._sensors: list[Any] = [
            DigitalInputDevice(pin, pull_up=True, pin_factory=factory)
            for pin in (hopper, left, right)
        ]
        self._guard: threading.Timer | None = None
        self._state = Shuffling()

    @property
    def state(self) -> Shuffling:
        return self._state

    def ask(self, *, seat: Seat, passes: int, at_us: int) -> str | None:
        """Begin; the reason why not, in a sentence, when it cannot."""
        if not 1 <= passes <= MOST_PASSES:
            return f"{passes} passes will not do: ask for 1 to {MOST_PASSES}."
        if self._state.phase != "idle":
            return f"The shuffler is already at work for {SEAT_NAMES[self._state.seat]}."
        self._state = Shuffling(phase="wait_load", since_us=at_us, seat=seat, wanted=passes)
        return None

    def tick(self, at_us: int) -> ShufflerNews | None:
        """Read the sensors, go one step on, work the touch pin."""
        hopper, left, right = (bool(sensor.value) for sensor in self._sensors)
        sensed = Sensed(hopper=hopper, left=left, right=right)
        before = self._state.phase
        self._state, news = step(self._state, sensed, at_us=at_us)
        touching = self._state.phase == "touching"
        if touching and before != "touching":
            self._press()
        elif not touching and before == "touching":
            self._release()
        return news

    def _press(self) -> None:
        # Should whoever ticks get stuck, the touch still ends: a held touch is learnt away by
        # the shuffler's sensor, and may start a pass nobody asked for when it is let go.
        self._guard = threading.Timer(_GUARD_S, self._touch.off)
        self._guard.daemon = True
        self._guard.start()
        self._touch.on()

    def _release(self) -> None:
        if self._guard is not None:
            self._guard.cancel()
            self._guard = None
        self._touch.off()

    def stop(self, at_us: int) -> None:
        self._state = Shuffling(since_us=at_us)
        self._release()

    def close(self) -> None:
        self._release()
        for device in (self._touch, *self._sensors):
            device.close()
