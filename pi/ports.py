"""What the kit needs of the table's fittings, named after the table and not after a pin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from engine.cards import Seat

#: What the buzzer says: somebody is asked, a revoke is proved, the game is over.
Call: TypeAlias = Literal["asked", "proved", "over"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressed:
    """A seat's button went down (and stayed down long enough to be meant) at ``at_us``."""

    at_us: int
    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class PassesDone:
    """The shuffler finished all passes that ``seat`` asked for."""

    at_us: int
    seat: Seat
    passes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleStopped:
    """The shuffler gave up; ``reason`` is a plain sentence with what to do."""

    at_us: int
    seat: Seat
    passes_done: int
    reason: str


ShufflerNews: TypeAlias = PassesDone | ShuffleStopped


class Buttons(Protocol):
    """One button at every seat."""

    def poll(self, at_us: int) -> tuple[Pressed, ...]:
        """The presses that became certain up to ``at_us``, oldest first."""
        ...

    def close(self) -> None: ...


class Lights(Protocol):
    """One light at every seat."""

    def show(self, lit: frozenset[Seat]) -> None:
        """Light these seats and no other."""
        ...

    def close(self) -> None: ...


class Buzzer(Protocol):
    def sound(self, call: Call) -> None:
        """Sound it once, without waiting for its end."""
        ...

    def close(self) -> None: ...


class Shuffler(Protocol):
    """The shuffling machine: a person loads and stacks, the kit touches it to start a pass."""

    def ask(self, *, seat: Seat, passes: int, at_us: int) -> str | None:
        """Begin; the reason why not, in a sentence, when it cannot."""
        ...

    def tick(self, at_us: int) -> ShufflerNews | None:
        """Look at the sensors and go on; call it often (ten times a second)."""
        ...

    def stop(self, at_us: int) -> None:
        """Touch nothing any more until asked again."""
        ...

    def close(self) -> None: ...
