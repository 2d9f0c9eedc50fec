"""What the kit needs of the table's fittings, named after the table and not after a pin.

All of them are driven by time that is handed in: whoever owns them calls ``tick`` or ``poll``
often (ten to fifty times a second), and nothing in here sleeps or has a clock of its own. One
contract suite (``tests/pi/test_port_contracts.py``) holds every implementation to these words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from engine.cards import Seat

#: What the buzzer says: somebody is asked, a revoke is proved, the game is over, the shuffler
#: waits for hands, a press was not taken, somebody calls for a look, a press was taken.
Call: TypeAlias = Literal["asked", "proved", "over", "next", "refused", "look", "taken"]
#: How a button was pressed.
Press: TypeAlias = Literal["short", "long", "double"]
#: What a seat's light says; each has a pattern of its own.
Meaning: TypeAlias = Literal["dealer", "turn", "attention"]
#: One entry a seat, None for dark.
Meanings: TypeAlias = tuple[Meaning | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressed:
    """A seat's button was pressed on purpose, at ``at_us`` (when it first went down)."""

    at_us: int
    seat: Seat
    press: Press = "short"


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonStuck:
    """A seat's button has been down, or chattering, for too long: it is not listened to."""

    at_us: int
    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonFree:
    """A button that was stuck has come up and is listened to again."""

    at_us: int
    seat: Seat


ButtonNews: TypeAlias = Pressed | ButtonStuck | ButtonFree


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensed:
    """Whether cards lie in the tray and in either pile, and whether the motor turns.

    None: that sensor is not fitted.
    """

    hopper: bool | None = None
    left: bool | None = None
    right: bool | None = None
    motor: bool | None = None


class Buttons(Protocol):
    """One button at every seat."""

    def poll(self, at_us: int) -> tuple[ButtonNews, ...]:
        """What became certain up to ``at_us``, oldest first, each once."""
        ...

    def close(self) -> None: ...


class Lights(Protocol):
    """One light at every seat."""

    def show(self, meanings: Meanings, *, at_us: int) -> None:
        """Each light as its meaning's pattern has it at ``at_us``; the rest dark."""
        ...

    def close(self) -> None:
        """All dark."""
        ...


class CameraLight(Protocol):
    """One light that is on while the camera runs, for everybody in the room."""

    def show(self, running: bool) -> None:
        """On before the camera starts, off once it has ended."""
        ...

    def close(self) -> None:
        """Dark."""
        ...


class Buzzer(Protocol):
    def sound(self, call: Call, *, at_us: int) -> None:
        """Begin this call; what was still sounding is cut off."""
        ...

    def tick(self, at_us: int) -> None:
        """On or off, as the call's pattern has it at ``at_us``."""
        ...

    def close(self) -> None:
        """Silent."""
        ...


class Shuffler(Protocol):
    """The shuffling machine: a person loads and stacks, the kit touches it to start a pass."""

    def sense(self) -> Sensed:
        """What its sensors show now."""
        ...

    def touch(self, at_us: int) -> bool:
        """One touch of 100 to 300 ms; False, and no touch, too soon after the last one."""
        ...

    def tick(self, at_us: int) -> None:
        """Let go when it is time. It is let go in time without this, too."""
        ...

    def close(self) -> None:
        """Let go, for good."""
        ...
