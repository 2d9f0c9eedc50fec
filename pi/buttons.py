"""The seats' buttons on gpiozero."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import Any, Final

from engine.cards import Seat
from pi.debounce import Contact, saw, settled
from pi.gpio import Factory
from pi.ports import ButtonFree, ButtonNews, ButtonStuck, Pressed
from pi.presses import Finger, Meant, down, due, up

STEADY_US: Final = 30_000
#: A contact that has not been steady for this long while it kept changing is a loose one.
CHATTER_US: Final = 3_000_000


class SeatButtons:
    """Four buttons to ground, filtered by our own clock.

    gpiozero calls back on a thread of its own (on mock pins: on the caller's), so a callback
    only notes the level and the moment; ``poll`` does the rest. A button that is down already
    when this begins means nothing until it has come up once.
    """

    def __init__(
        self, factory: Factory, pins: tuple[int, ...], *, now_us: Callable[[], int]
    ) -> None:
        from gpiozero import DigitalInputDevice

        self._noted: queue.SimpleQueue[tuple[Seat, bool, int]] = queue.SimpleQueue()
        self._contacts: list[Contact] = []
        self._fingers: list[Finger] = []
        #: Since when the contact keeps changing without a steady level; None: it does not.
        self._restless_us: list[int | None] = []
        self._devices: list[Any] = []
        for seat, pin in enumerate(pins):
            device = DigitalInputDevice(pin, pull_up=True, bounce_time=None, pin_factory=factory)
            self._devices.append(device)
            held, at_us = bool(device.value), now_us()
            self._contacts.append(Contact(closed=held, seen=held, since_us=at_us))
            self._fingers.append(Finger(stage="spent" if held else "up", since_us=at_us))
            self._restless_us.append(None)
            device.when_activated = self._noting(seat, True, now_us)
            device.when_deactivated = self._noting(seat, False, now_us)

    def _noting(self, seat: Seat, closed: bool, now_us: Callable[[], int]) -> Callable[[], None]:
        def note() -> None:
            self._noted.put((seat, closed, now_us()))

        return note

    def poll(self, at_us: int) -> tuple[ButtonNews, ...]:
        """The presses, and the buttons that stick or are free again, certain by ``at_us``."""
        news: list[ButtonNews] = []
        while True:
            try:
                seat, closed, noted_us = self._noted.get_nowait()
            except queue.Empty:
                break
            # What was steady until this edge counted before it: a quick press is not lost.
            self._settle(seat, min(noted_us, at_us), news)
            self._contacts[seat] = saw(self._contacts[seat], closed, at_us=noted_us)
            if self._restless_us[seat] is None:
                self._restless_us[seat] = noted_us
        for seat in range(len(self._contacts)):
            self._settle(seat, at_us, news)
        return tuple(sorted(news, key=lambda told: told.at_us))

    def _settle(self, seat: Seat, at_us: int, news: list[ButtonNews]) -> None:
        before = self._contacts[seat]
        after = settled(before, at_us=at_us, steady_us=STEADY_US)
        self._contacts[seat] = after
        finger = self._fingers[seat]
        restless_us = self._restless_us[seat]
        if at_us - after.since_us >= STEADY_US:
            self._restless_us[seat] = restless_us = None
        changed = after.closed != before.closed
        # What was certain before the contact changed is said before the change is looked at.
        sure_us = after.since_us if changed or after.seen != after.closed else at_us
        finger, meant = due(finger, at_us=sure_us)
        self._tell(seat, finger, meant, sure_us, news)
        if changed:
            if after.closed:
                finger = down(finger, at_us=after.since_us)
            else:
                finger, meant = up(finger, at_us=after.since_us)
                self._tell(seat, finger, meant, after.since_us, news)
            finger, meant = due(finger, at_us=at_us)
            self._tell(seat, finger, meant, at_us, news)
        if restless_us is not None and at_us - restless_us >= CHATTER_US:
            if finger.stage != "stuck":
                self._tell(seat, finger, ("stuck",), at_us, news)
            finger = Finger(stage="stuck", since_us=at_us)
        elif (
            finger.stage == "stuck" and not after.closed and not after.seen and restless_us is None
        ):
            self._tell(seat, finger, ("free",), at_us, news)
            finger = Finger(since_us=at_us)
        self._fingers[seat] = finger

    def _tell(
        self,
        seat: Seat,
        finger: Finger,
        meant: tuple[Meant, ...],
        at_us: int,
        news: list[ButtonNews],
    ) -> None:
        for what in meant:
            match what:
                case "stuck":
                    news.append(ButtonStuck(at_us=at_us, seat=seat))
                case "free":
                    news.append(ButtonFree(at_us=at_us, seat=seat))
                case _:
                    news.append(Pressed(at_us=finger.from_us, seat=seat, press=what))

    def close(self) -> None:
        for device in self._devices:
            device.close()
