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
from engine.facts import CallKind, Fact, Offence, Trump
from engine.wording import Sentence


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
class DrawDealer:
    """Draw the first dealer from the cards, as the rules say; each card is then a PlayCard."""


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
    """Maker, trump, alone in one tap; for an earlier deal with its number.

    ``bid`` and ``dropped`` belong to buck, ``ace`` to call-ace.
    """

    maker: Seat
    trump: Trump
    alone: Seat | None = None
    defender_alone: Seat | None = None
    deal: int | None = None
    bid: int | None = None
    dropped: tuple[Seat, ...] = ()
    ace: Card | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BidTricks:
    """Buck: a bid of so many tricks (a pass is a Call)."""

    seat: Seat
    tricks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapWidow:
    """Buck: the seat changes its hand for the one that lies there."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """Buck: the seat plays."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """Buck: the seat is out of this deal."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class CallAce:
    """Call-ace: the maker names the card whose holder is the partner."""

    card: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowTableCard:
    """Two players: a card that lies open before the seat, tapped in by hand."""

    seat: Seat
    card: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayCard:
    """A play tapped in by hand."""

    seat: Seat
    card: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeBack:
    """The card played at version ``target`` goes back into the hand."""

    target: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Discard:
    """The seat laid a card away; ``card`` where it was seen or is shown face up now."""

    seat: Seat
    card: Card | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowHand:
    """Cards of a seat that lie face up and were not played; of deal ``deal``, or the last."""

    seat: Seat
    cards: tuple[Card, ...]
    deal: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassCard:
    """Lone exchange: the partner passed a card to the lone hand, which kept it or not."""

    seat: Seat
    kept: bool = True
    card: Card | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """``by`` claims that ``seat`` did wrong, in deal ``deal`` or the last."""

    seat: Seat
    offence: Offence
    by: Seat | None = None
    trick: int | None = None
    deal: int | None = None


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
    """Replace or strike the fact at ``target``, of this deal or any earlier one.

    One of these: ``card`` and ``seat`` change what they name of a play, an up-card (its
    dealer), a discard or a call; ``strike`` takes the fact back; ``rules`` mends the agreed
    rules in the fact that starts the game (a preset's name, or the options that change);
    ``replacement`` is the whole fact as it should have been (a call, a declaration, what
    became of the up-card, the dealer). ``looked_at``: the version the asker was looking at;
    refused as ``stale`` when somebody mended this very fact since, whatever else happened.
    """

    target: int
    reason: str
    card: Card | None = None
    seat: Seat | None = None
    strike: bool = False
    replacement: Fact | None = None
    rules: Mapping[str, Any] | str | None = None
    looked_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Insert:
    """Put a fact that was missed in its place: right before the fact at ``before``."""

    before: int
    fact: Fact
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Put the fact at ``target`` in another place: right before the fact at ``before``."""

    target: int
    before: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StrikeDeal:
    """Take deal number ``deal`` out of the game as if it had not been; later ones move up."""

    deal: int
    reason: str


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
class PauseGame:
    """What lies on the table from now on is no play, until ResumeGame."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeGame:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmGame:
    """``seat`` says for its side that the finished game's score is right."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class EndGame:
    reason: str


Command: TypeAlias = (
    StartGame
    | NameDealer
    | DrawDealer
    | ShowUpcard
    | TakeUpcard
    | TurnDownUpcard
    | Call
    | Declare
    | BidTricks
    | SwapWidow
    | Stay
    | Drop
    | CallAce
    | ShowTableCard
    | PlayCard
    | TakeBack
    | Discard
    | ShowHand
    | PassCard
    | Claim
    | ClearTrick
    | ThrowIn
    | ConfirmDeal
    | AnswerReview
    | Correct
    | Insert
    | Move
    | StrikeDeal
    | Undo
    | RuleFinding
    | AdjustScore
    | ReportShuffle
    | PauseGame
    | ResumeGame
    | ConfirmGame
    | EndGame
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A command that cannot be done now. ``code`` is for programs, ``reason`` for people.

    Codes: ``malformed``, ``stale`` (another version was meant), ``not_now``, ``unknown``.
    ``meanwhile``: for ``stale``, what happened since the version that was meant, oldest first.
    ``said`` and ``meanwhile_said`` are the same for any language.
    """

    code: str
    reason: str
    said: Sentence
    meanwhile: tuple[str, ...] = ()
    meanwhile_said: tuple[Sentence, ...] = ()
