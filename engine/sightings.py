"""What was seen on the table, before any rule was asked: vision's words to the engine.

A ``track`` numbers one physical card from its arrival until it leaves. ``at_us`` is the
moment it happened (for a card: the first frame at rest), even when it is reported later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from engine.cards import Card, Seat
from engine.facts import Votes

Box: TypeAlias = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a card lies. ``seat``: the seat whose zone or direction it is in.

    ``middle``: within the kitty's zone in the middle of the table, where the up-card lies.
    ``clear``: the seat is beyond doubt (far from a border between two seats).
    """

    seat: Seat | None
    middle: bool = False
    clear: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRested:
    """A face-up card came to rest and the hand has gone.

    ``card`` None: it was watched for the patience limit and is still doubtful; ``why`` says
    the reader's reason. ``laid_from`` is the side of the table the hand came from, if seen.
    """

    at_us: int
    track: int
    card: Card | None
    confidence: float
    votes: Votes
    place: Place
    box: Box
    laid_from: Seat | None = None
    why: str | None = None
    evidence: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardReread:
    """A card already reported is read otherwise now: surer, or differently, for long enough."""

    at_us: int
    track: int
    card: Card
    confidence: float
    votes: Votes
    evidence: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardTurnedDown:
    """A card already reported now shows its back."""

    at_us: int
    track: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CardLeft:
    """A card already reported is gone from the table (taken, or swept with a trick)."""

    at_us: int
    track: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCovered:
    """Hands or bodies hide the table: nothing is concluded until they are gone."""

    at_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableUncovered:
    at_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCleared:
    """Every face-up card is gone; at least one had been reported since the last clearing."""

    at_us: int


Sighting: TypeAlias = (
    CardRested
    | CardReread
    | CardTurnedDown
    | CardLeft
    | TableCovered
    | TableUncovered
    | TableCleared
)
