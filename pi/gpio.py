"""The computer's pins: which is which, and the one way to reach them.

A Pi's pins are reached through lgpio or not at all: gpiozero's own silent search for another
way is switched off, for a kit that believes it touches a shuffler and touches nothing is worse
than one that says so. The simulated table runs on gpiozero's mock pins, asked for by name.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias

from pi.errors import BadSettings, NoPinFactory

PinKind: TypeAlias = Literal["lgpio", "mock"]
#: A gpiozero pin factory; gpiozero ships no types.
Factory: TypeAlias = Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Pins:
    """BCM numbers. From 9 on, since 0 to 8 are pulled up at power-on; 14 and 15 are the console.

    ``buttons`` and ``lights`` by seat. A button closes to ground. ``touch`` works the relay on
    the shuffler's sensor. ``hopper``, ``left`` and ``right`` close while cards lie there,
    ``motor`` while the shuffler's motor turns; which of these four are fitted, the settings say.
    ``camera``: a light that says that the camera runs; None: no such light, the page says it.
    """

    buttons: tuple[int, int, int, int] = (12, 13, 16, 18)
    lights: tuple[int, int, int, int] = (19, 20, 21, 26)
    touch: int = 17
    hopper: int = 22
    left: int = 23
    right: int = 24
    motor: int = 27
    buzzer: int = 25
    camera: int | None = None

    def __post_init__(self) -> None:
        numbers: list[int] = []
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                numbers.extend(value if isinstance(value, tuple) else (value,))
        for number in numbers:
            if not 9 <= number <= 27 or number in (14, 15):
                raise BadSettings(
                    f"pin {number} will not do: use BCM numbers from 9 to 27, not 14 or 15"
                )
        twice = sorted({n for n in numbers if numbers.count(n) > 1})
        if twice:
            raise BadSettings(f"pin {twice[0]} is used twice: give every fitting its own pin")


def open_factory(kind: PinKind) -> Factory:
    """The pins of this computer, or mock pins for the simulation.

    Raises NoPinFactory when lgpio is missing or refuses; nothing else is tried.
    """
    if kind == "mock":
        from gpiozero.pins.mock import MockFactory

        return MockFactory()
    try:
        from gpiozero.pins.lgpio import LGPIOFactory

        return LGPIOFactory()
    except ImportError as error:
        raise NoPinFactory(
            f"the module {error.name or 'lgpio'} is missing: sudo apt install python3-lgpio, and "
            "make the environment with --system-site-packages"
        ) from error
    except Exception as error:
        # lgpio raises its own error class, gpiozero BadPinFactory, the kernel OSError.
        raise NoPinFactory(
            f"the pins cannot be reached ({error}): run on a Raspberry Pi as a member of the "
            "group gpio, or take the simulated table (upcard run --table sim)"
        ) from error
