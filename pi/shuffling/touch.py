"""The pins on the shuffler: a relay that touches its pad, and the sensors that are fitted."""

from __future__ import annotations

import atexit
import logging
import threading
from collections.abc import Mapping
from typing import Any, Final

from pi.gpio import Factory, Pins
from pi.ports import Sensed
from pi.settings import SensorKind

_LOG = logging.getLogger(__name__)

#: How long the pad is touched. A pad held for longer is learnt away by its sensor.
TOUCH_US: Final = 200_000
#: The touch is let go after this long on the clock on the wall, whatever happens.
GUARD_S: Final = 0.25
#: A second touch within this long of the first would be the same one to the shuffler.
GAP_US: Final = 4_000_000


class TouchShuffler:
    """A shuffler with copper foil on its pad, behind a relay on pin ``touch``.

    ``sensors`` names the pins of those that are fitted; each closes to ground. ``guard_s``: the
    longest touch on the clock on the wall. Closing it, losing its owner's ticks or leaving the
    program lets go; a killed program is let go by ``upcard shuffle --off`` and by the one-shot
    in the wiring.
    """

    def __init__(
        self,
        factory: Factory,
        *,
        touch: int,
        sensors: Mapping[SensorKind, int],
        guard_s: float = GUARD_S,
    ) -> None:
        from gpiozero import DigitalInputDevice, DigitalOutputDevice

        self._relay: Any = DigitalOutputDevice(touch, initial_value=False, pin_factory=factory)
        self._sensors: dict[SensorKind, Any] = {
            kind: DigitalInputDevice(pin, pull_up=True, pin_factory=factory)
            for kind, pin in sensors.items()
        }
        # gpiozero cleans up behind its default factory only, and this is not it.
        atexit.register(self._let_go)
        self._guard_s = guard_s
        self._guard: threading.Timer | None = None
        self._touched_us: int | None = None

    def sense(self) -> Sensed:
        """What the fitted sensors show now."""
        return Sensed(**{kind: bool(device.value) for kind, device in self._sensors.items()})

    def touch(self, at_us: int) -> bool:
        """Touch the pad; False, and no touch, within four seconds of the last one."""
        if self._touched_us is not None and 0 <= at_us - self._touched_us < GAP_US:
            return False
        self._touched_us = at_us
        # Should whoever ticks get stuck, the touch still ends: the timer runs before the relay.
        self._guard = threading.Timer(self._guard_s, self._let_go)
        self._guard.daemon = True
        self._guard.start()
        self._relay.on()
        return True

    def tick(self, at_us: int) -> None:
        """Let go after 200 ms."""
        if self._guard is not None and self._touched_us is not None:
            # A clock that was set back must not hold the pad: then it is let go at once.
            held_us = at_us - self._touched_us
            if held_us >= TOUCH_US or held_us < 0:
                self._release()

    def _release(self) -> None:
        if self._guard is not None:
            self._guard.cancel()
            self._guard = None
        self._relay.off()

    def _let_go(self) -> None:
        try:
            self._relay.off()
        except Exception:
            # Closed meanwhile, which lets go as well; anything else must at least be known.
            _LOG.warning("the shuffler's relay could not be let go by its guard", exc_info=True)

    def close(self) -> None:
        """Let go, and give the pins back."""
        self._release()
        atexit.unregister(self._let_go)
        for device in (self._relay, *self._sensors.values()):
            device.close()


def fitted_pins(pins: Pins, sensors: tuple[SensorKind, ...]) -> dict[SensorKind, int]:
    """The pins of the sensors that are wired."""
    numbers: dict[SensorKind, int] = {
        "hopper": pins.hopper,
        "left": pins.left,
        "right": pins.right,
        "motor": pins.motor,
    }
    return {kind: numbers[kind] for kind in sensors}


def outputs_off(factory: Factory, pins: Pins) -> tuple[int, ...]:
    """Drive every output of the kit to off: the touch first. Answers the pins that were.

    On Raspberry Pi kernels a pin stays as it was when its program was killed, so this runs
    before the kit starts and after it ends, however it ended.
    """
    from gpiozero import DigitalOutputDevice

    outputs = (pins.touch, pins.buzzer, *pins.lights)
    if pins.camera is not None:
        outputs = (*outputs, pins.camera)
    for pin in outputs:
        DigitalOutputDevice(pin, initial_value=False, pin_factory=factory).close()
    return outputs
