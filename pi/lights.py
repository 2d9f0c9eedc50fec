"""The seats' lights, the buzzer and the camera's light: what they show, and on which pins.

Three meanings on one light are told apart by their rhythm, for people who see no colours and
for a room in which sound is off: **turn** is steady, **dealer** a short wink every two seconds,
**attention** a quick blink. The patterns are functions of the time that is handed in, so there is
no thread that could be left running, and the page can draw the same rhythm.
"""

from __future__ import annotations

import atexit
import logging
import threading
from typing import Any, Final

from pi.gpio import Factory
from pi.ports import Call, Meaning, Meanings

_LOG = logging.getLogger(__name__)

#: For each meaning: the period, and how much of it the light is on, in microseconds.
PATTERNS: Final[dict[Meaning, tuple[int, int]]] = {
    "turn": (1_000_000, 1_000_000),
    "dealer": (2_000_000, 250_000),
    "attention": (500_000, 250_000),
}
#: For each call: how long it sounds and pauses in turn, in microseconds, from a sound on.
CALLS: Final[dict[Call, tuple[int, ...]]] = {
    "asked": (100_000,),
    "proved": (150_000, 100_000, 150_000, 100_000, 150_000),
    "over": (600_000,),
    "next": (100_000, 100_000, 100_000),
    "refused": (400_000, 150_000, 100_000),
    "look": (250_000, 150_000, 250_000),
    "taken": (50_000,),
}


def lit(meaning: Meaning | None, *, at_us: int) -> bool:
    """Whether a light that means this is on at ``at_us``."""
    if meaning is None:
        return False
    period_us, on_us = PATTERNS[meaning]
    return at_us % period_us < on_us


def sounding(call: Call, *, since_us: int, at_us: int) -> bool | None:
    """Whether a call begun at ``since_us`` sounds at ``at_us``; None once it is over."""
    left_us = at_us - since_us
    if left_us < 0:
        # The clock was set back: a buzzer must not go on for as long as that.
        return None
    for number, length_us in enumerate(CALLS[call]):
        if left_us < length_us:
            return number % 2 == 0
        left_us -= length_us
    return None


class SeatLights:
    """One light a seat."""

    def __init__(self, factory: Factory, pins: tuple[int, ...]) -> None:
        from gpiozero import LED

        self._lights: list[Any] = [LED(pin, pin_factory=factory) for pin in pins]

    def show(self, meanings: Meanings, *, at_us: int) -> None:
        """Each light as its meaning's pattern has it at ``at_us``; the rest dark."""
        for seat, light in enumerate(self._lights):
            meaning = meanings[seat] if seat < len(meanings) else None
            light.value = lit(meaning, at_us=at_us)

    def close(self) -> None:
        for light in self._lights:
            light.off()
            light.close()


class PinCameraLight:
    """A light that is on while the camera runs."""

    def __init__(self, factory: Factory, pin: int) -> None:
        from gpiozero import LED

        self._light: Any = LED(pin, pin_factory=factory)
        # gpiozero cleans up behind its default factory only, and this is not it.
        atexit.register(self._put_out)

    def show(self, running: bool) -> None:
        """On before the camera starts, off once it has ended."""
        self._light.value = running

    def _put_out(self) -> None:
        try:
            self._light.off()
        except Exception:
            # Its pins were closed meanwhile, which puts it out as well.
            _LOG.warning("the camera's light could not be put out at the end", exc_info=True)

    def close(self) -> None:
        atexit.unregister(self._put_out)
        if not self._light.closed:
            self._light.off()
            self._light.close()


class PinBuzzer:
    """A buzzer that sounds while its pin is on. Safe to use from any thread."""

    def __init__(self, factory: Factory, pin: int) -> None:
        from gpiozero import Buzzer

        self._buzzer: Any = Buzzer(pin, pin_factory=factory)
        self._call: tuple[Call, int] | None = None
        #: A call may begin on the page's thread while that of the fittings ends the one before.
        self._lock = threading.Lock()

    def sound(self, call: Call, *, at_us: int) -> None:
        """Begin this call; what was still sounding is cut off."""
        with self._lock:
            self._call = (call, at_us)
            self._follow(at_us)

    def tick(self, at_us: int) -> None:
        """On or off, as the call's pattern has it at ``at_us``."""
        with self._lock:
            self._follow(at_us)

    def _follow(self, at_us: int) -> None:
        if self._call is None:
            return
        call, since_us = self._call
        now = sounding(call, since_us=since_us, at_us=at_us)
        if now is None:
            self._call = None
        self._buzzer.value = bool(now)

    def close(self) -> None:
        with self._lock:
            self._call = None
            self._buzzer.off()
            self._buzzer.close()
