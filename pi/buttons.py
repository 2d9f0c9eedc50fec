"""The seats' buttons on gpiozero."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import Any, Final

from engine.cards import Seat
from pi.debounce import Contact, saw, settled
from pi.gpio import Factory
from pi.ports import Pressed

STEADY_US: Final = 30_000


class SeatButtons:
    """Four buttons to ground, filtered by our own clock.

    gpiozero calls back on a thread of its own (on mock pins: on the caller's), so a callback
    only notes the level and the moment; ``poll`` does the rest.
    """

    def __init__(
        self, factory: Factory, pins: tuple[int, ...], *, now_us: Callable[[], int]
    ) -> None:
        from gpiozero import DigitalInputDevice

        self._noted: queue.SimpleQueue[tuple[Seat, bool, int]] = queue.SimpleQueue()
        self._contacts = [Contact() for _ in pins]
        self._devices: list[Any] = []
        for seat, pin in enumerate(pins):
            device = DigitalInputDevice(pin, pull_up=True, bounce_time=None, pin_factory=factory)
            self._devices.append(device)
            device.when_activated = self._noting(seat, True, now_us)
            device.when_deactivated = self._noting(seat, False, now_us)

    def _noting(self, seat: Seat, closed: bool, now_us: Callable[[], int]) -> Callable[[], None]:
        def note() -> None:
            self._noted.put((seat, closed, now_us()))

        return note

    def poll(self, at_us: int) -> tuple[Pressed, ...]:
        """The presses that have been steady for 30 ms by ``at_us``."""
        pressed: list[Pressed] = []
        while True:
            try:
                seat, closed, noted_us = self._noted.get_nowait()
            except queue.Empty:
                break
            # What was steady until this edge counted before it: a quick press is not lost.
            self._settle(seat, min(noted_us, at_us), pressed)
            self._contacts[seat] = saw(self._contacts[seat], closed, at_us=noted_us)
        for seat in range(len(self._contacts)):
            self._settle(seat, at_us, pressed)
        return tuple(sorted(pressed, key=lambda press: press.at_us))

    def _settle(self, seat: Seat, at_us: int, pressed: list[Pressed]) -> None:
        before = self._contacts[seat]
        after = settled(before, at_us=at_us, steady_us=STEADY_US)
        if after.closed and not before.closed:
            pressed.append(Pressed(at_us=after.since_us, seat=seat))
        self._contacts[seat] = after

    def close(self) -> None:
        for device in self._devices:
            device.close()
