"""What people ask of the table, in imperatives: taps, buttons, a commands file.

A command that makes no sense is refused (:class:`Rejected`) and changes nothing; a play
that breaks a rule is no such thing, it is recorded. In JSON a command is an object with
``kind`` (the class name in snake case: ``declare``, ``answer_review``) and its fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from engine.cards import Card, Seat
from engine.facts import CallKind, Trump


@dataclass(frozen=True, slots=True, kw_only=True)
class StartGame:
    rules: Mapping[str, Any] | str = "home"
    names: tuple[str, ...] = ("North", "East", "South", "West")
    dealer: Seat | None = None
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NameDealer:
    dealer: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowUpcard:
    """The up-card tapped in by hand."""

    card: Card
    dealer: Seat | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeUpcard:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDownUpcard:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    seat: Seat
    call: CallKind
    suit: Trump | None = None
    alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Declare:
    """Maker, trump, alone in one tap; for an earlier deal with its number."""

    maker: Seat
    trump: Trump
    alone: Seat | None = None
    defender_alone: Seat | None = None
    deal: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayCard:
    """A play tapped in by hand."""

    seat: Seat
    card: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearTrick:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowIn:
    reason: str = "passed_out"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmDeal:
    deal: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerReview:
    """``card`` None: it was not a card (or no play)."""

    review: int
    card: Card | None
    seat: Seat | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Correct:
    """Replace or strike the fact at ``target``.

    ``card`` and ``seat`` change a play or an up-card; ``strike`` takes the fact back.
    """

    target: int
    reason: str
    card: Card | None = None
    seat: Seat | None = None
    strike: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """Take back the newest fact that still stands."""

    reason: str = "undo"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFinding:
    finding: str
    ruling: Literal["uphold", "dismiss"]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustScore:
    points: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportShuffle:
    """The shuffler (or a person, machine False) finished this many passes."""

    seat: Seat
    passes: int
    machine: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class EndGame:
    reason: str


Command: TypeAlias = (
    StartGame
    | NameDealer
    | ShowUpcard
    | TakeUpcard
    | TurnDownUpcard
    | Call
    | Declare
    | PlayCard
    | ClearTrick
    | ThrowIn
    | ConfirmDeal
    | AnswerReview
    | Correct
    | Undo
    | RuleFinding
    | AdjustScore
    | ReportShuffle
    | EndGame
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A command that cannot be done now. ``code`` is for programs, ``reason`` for people.

    Codes: ``malformed``, ``stale`` (another version was meant), ``not_now``, ``unknown``.
    """

    code: str
    reason: str
