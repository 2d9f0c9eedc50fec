"""What happened at the table, in past participles: the only thing the log stores.

Facts are recorded even when they break a rule; the rules yield findings about them.
Nothing derived (trick winners, scores, revokes) is a fact. A correction, a ruling and an
answered review are facts of their own, appended: nothing is ever changed in place.

Every fact lives in the log inside a :class:`Recorded` envelope whose ``version`` counts the
facts of its game from 1. A later fact points at an earlier one by that version.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from engine.cards import Card, Seat, Side

#: no_trump is "n".
Trump: TypeAlias = str
CallKind: TypeAlias = Literal["pass", "order_up", "pick_up", "name"]
#: ``table``: a card that lies open before its seat, in the game for two. ``draw``: one of the
#: draw for the first dealer.
ReviewSubject: TypeAlias = Literal["upcard", "play", "table", "draw"]
#: What may be claimed of a seat that no camera sees: too many cards, no discard before the lead,
#: too few cards, a revoke.
Offence: TypeAlias = Literal["revoke", "six_cards", "no_discard", "too_few_cards"]
#: Probable names of a doubtful card, likeliest first, with calibrated probabilities.
Votes: TypeAlias = tuple[tuple[Card, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameStarted:
    """The ruleset is agreed and the game begins. ``dealer`` None: seen from the first up-card."""

    rules: Mapping[str, Any]
    names: tuple[str, ...]
    dealer: Seat | None
    title: str = ""
    initial_score: tuple[int, ...] = (0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class DealerNamed:
    """The table says who deals (the present deal, or the next when none is under way)."""

    dealer: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawBegun:
    """The first dealer is drawn from the cards: until the first deal, cards laid are the draw's.

    It does away with whoever was to deal, and with an earlier draw.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDrawn:
    """Drawing for the first dealer: this card was dealt face up to ``seat``, or cut by it."""

    seat: Seat
    card: Card
    confidence: float = 1.0
    track: int | None = None
    evidence: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UpcardShown:
    """A deal is on the table: its up-card lies face up. ``dealer`` None: not seen who laid it."""

    card: Card
    dealer: Seat | None
    confidence: float = 1.0
    track: int | None = None
    evidence: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UpcardTaken:
    """The dealer took the up-card into the hand: its suit is trump."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpcardTurnedDown:
    """All four passed the first round; the up-card lies face down and is out of play."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """One call of the bidding, spoken or tapped. ``suit`` only with ``name``."""

    seat: Seat
    call: CallKind
    suit: Trump | None = None
    alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """One tap that says it all: who made trump, which, and who plays alone.

    May come at any moment up to the end of the deal, and later as a mending.
    ``deal`` is the number of the deal it speaks of, from 1; None is the present one. Only in
    buck: ``bid``, the tricks the maker bid, and ``dropped``, the seats that dropped. Only in
    call-ace: ``ace``, the card the maker called.
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
class TricksBid:
    """Buck: the seat bid ``tricks``, from 1. (A seat that bids nothing passes: :class:`Called`.)"""

    seat: Seat
    tricks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WidowSwapped:
    """Buck: the seat laid its hand down and took the hand that lay there, unseen."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Stayed:
    """Buck: the seat plays the deal against the maker."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """Buck: the seat lays its hand away and is out of this deal."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class AceCalled:
    """Call-ace: the maker called this card; whoever holds it is the maker's partner."""

    card: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCardShown:
    """Two players: a card lies open before its seat, dealt so or uncovered just now.

    Before the first lead it is one of the four dealt face up; after that it lay covered until
    the tricks played so far.
    """

    seat: Seat
    card: Card
    confidence: float = 1.0
    track: int | None = None
    evidence: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Discarded:
    """A seat laid a card away face down; ``card`` is known only when somebody saw it."""

    seat: Seat
    card: Card | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPlayed:
    """A card came to rest in front of ``seat``. Where it lay says whose it is, not the turn."""

    seat: Seat
    card: Card
    confidence: float = 1.0
    track: int | None = None
    evidence: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardLifted:
    """A card of a trick not yet complete left the table while hands were there.

    By itself it changes nothing: the seat may take it back and lay another
    (:class:`CardTakenBack`), or the trick is swept.
    """

    track: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CardTakenBack:
    """The card of the play at version ``target`` went back into the hand."""

    target: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HandShown:
    """Cards a seat held and showed without playing them: exposed, or a hand laid face up.

    ``deal`` is the number of the deal it speaks of, from 1; None is the present one.
    """

    seat: Seat
    cards: tuple[Card, ...]
    deal: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPassed:
    """Lone exchange: ``seat``, partner of the lone hand, passed it one card.

    ``kept`` False: the lone hand laid it away unseen. ``card`` only where somebody saw it.
    """

    seat: Seat
    kept: bool = True
    card: Card | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """Somebody says that ``seat`` did wrong; the rules say what is to be made of it.

    ``by``: who says so, None where nobody in particular. ``trick``: for a revoke, the trick it
    was in, None for any. ``deal`` as in :class:`HandShown`.
    """

    seat: Seat
    offence: Offence
    by: Seat | None = None
    trick: int | None = None
    deal: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrickCleared:
    """The cards of the trick were swept from the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DealThrownIn:
    """The deal ends without points: passed out, misdealt or abandoned."""

    reason: str = "passed_out"


@dataclass(frozen=True, slots=True, kw_only=True)
class DealKept:
    """A deal counted by hand: which side made trump and how many tricks it took; no card was seen.

    Only in the four-handed game, where it ends the deal under way. ``alone``: a hand of the makers
    played alone; ``defended``: one of the others did.
    """

    makers: Side
    tricks: int
    alone: bool = False
    defended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DealConfirmed:
    """The table agrees: the points of deal ``deal`` (from 1) are marked."""

    deal: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRaised:
    """A reading is doubtful: a person is asked. It holds the place of the fact it may become.

    ``reason``: ``unsure`` (the reader abstained), ``duplicate`` (a card seen twice in the deal),
    ``seat`` (place and turn disagree), ``missed`` (a trick was swept with a card unseen),
    ``changed`` (the same card read otherwise later), ``foreign`` (no card of the pack).
    """

    subject: ReviewSubject
    seat: Seat | None
    candidates: Votes
    reason: str
    track: int | None = None
    box: tuple[float, ...] | None = None
    evidence: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewAnswered:
    """A person (or later, surer light) answers: this card, or None for *not a card*."""

    review: int
    card: Card | None
    seat: Seat | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """The fact at version ``target`` was wrong: ``replacement`` stands in its place.

    ``replacement`` None strikes the fact (an undo). The original stays in the log.
    """

    target: int
    replacement: Fact | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Inserted:
    """``fact`` was missed when it happened: it stands right before the fact at ``before``.

    Later facts speak of it by the version of this one, which may be corrected or struck like
    any other.
    """

    before: int
    fact: Fact
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """The fact at ``target`` happened elsewhere: right before the fact at ``before``.

    It keeps its version. The newest move of a fact counts; striking this one puts it back.
    """

    target: int
    before: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Amended:
    """Corrections that stand or fall together: a deal taken out, and later ones renumbered.

    ``changes`` name each fact at most once and insert at most one, which is known by the
    version of this fact. Striking this one takes all of them back.
    """

    changes: tuple[Corrected | Inserted | Moved, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingRuled:
    """The table or the director rules on a finding: ``uphold`` or ``dismiss``."""

    finding: str
    ruling: Literal["uphold", "dismiss"]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreAdjusted:
    """Points added to (or taken from) each side by decision, with a reason."""

    points: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackShuffled:
    """The shuffler finished ``passes`` passes that ``seat`` asked for (by hand: machine False)."""

    seat: Seat
    passes: int
    machine: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePaused:
    """The table does something else for a while: what the camera sees meanwhile is no play."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameResumed:
    """The table plays on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameConfirmed:
    """``seat`` says for its side that the finished game's ``score`` is right.

    It counts for as long as that is the score: a later correction asks both sides again.
    """

    seat: Seat
    score: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEnded:
    """The game stops before the target: abandoned, or time called."""

    reason: str


Fact: TypeAlias = (
    GameStarted
    | DealerNamed
    | DrawBegun
    | CardDrawn
    | UpcardShown
    | UpcardTaken
    | UpcardTurnedDown
    | Called
    | Declared
    | TricksBid
    | WidowSwapped
    | Stayed
    | Dropped
    | AceCalled
    | TableCardShown
    | Discarded
    | CardPlayed
    | CardLifted
    | CardTakenBack
    | HandShown
    | CardPassed
    | Claimed
    | TrickCleared
    | DealThrownIn
    | DealKept
    | DealConfirmed
    | ReviewRaised
    | ReviewAnswered
    | Corrected
    | Inserted
    | Moved
    | Amended
    | FindingRuled
    | ScoreAdjusted
    | PackShuffled
    | GamePaused
    | GameResumed
    | GameConfirmed
    | GameEnded
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A fact as the log holds it.

    ``seq`` counts over the whole log, ``version`` within the game, both from 1 without gaps.
    ``at_us`` is when it happened, in microseconds since 1970 (for a clip: its own stamps);
    ``source`` says who says so: ``camera``, ``seat:2``, ``director``, ``sim``, ``import`` ...
    """

    seq: int
    game_id: str
    version: int
    at_us: int
    source: str
    fact: Fact
