"""The seats' lights and the buzzer on gpiozero."""

from __future__ import annotations

from typing import Any, Final

from engine.cards import Seat
from pi.gpio import Factory
from pi.ports import Call

#: How often it beeps, and for how long (seconds on, seconds off).
_BEEPS: Final[dict[Call, tuple[int, float, float]]] = {
    "asked": (1, 0.08, 0.0),
    "proved": (3, 0.12, 0.1),
    "over": (1, 0.6, 0.0),
}


class SeatLights:
    def __init__(self, factory: Factory, pins: tuple[int, ...]) -> None:
        from gpiozero import LED

        self._lights: list[Any] = [LED(pin, pin_factory=factory) for pin in pins]

    def show(self, lit: frozenset[Seat]) -> None:
        """Light these seats and no other."""
        for seat, light in enumerate(self._lights):
            light.value = seat in lit

    def close(self) -> None:
        for light in self._lights:
            light.off()
            light.close()


class PinBuzzer:
    def __init__(self, factory: Factory, pin: int) -> None:
        from gpiozero import Buzzer

        self._buzzer: Any = Buzzer(pin, pin_factory=factory)

    def sound(self, call: Call) -> None:
        """Sound it once, in the background."""
        times, on_s, off_s = _BEEPS[call]
        self._buzzer.beep(on_time=on_s, off_time=off_s, n=times, background=True)

    def close(self) -> None:
        self._buzzer.off()
        self._buzzer.close()
