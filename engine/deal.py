"""One deal as it is known so far: what a game reads out of the facts of the deal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.cards import Card, Seat, Side, side_of
from engine.facts import (
    Called,
    DealKept,
    Declared,
    FindingRuled,
    Recorded,
    ReviewRaised,
    TricksBid,
    Trump,
    Votes,
)
from engine.ruleset import Ruleset
from engine.wording import Sentence

UpcardState: TypeAlias = Literal["shown", "taken", "turned_down"]
#: ``undeclared``: cards are played and trump or maker is unknown, so nothing is counted.
Phase: TypeAlias = Literal["bidding", "play", "undeclared", "scored"]
FindingStatus: TypeAlias = Literal["open", "upheld", "dismissed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DealFacts:
    """Everything a game needs to read one deal; equal inputs give equal deals.

    ``facts`` are in force (corrections and answers resolved), in order. ``declared`` is the
    newest declaration for this deal, wherever it stands in the log. ``expected_dealer`` is
    whose deal it should be by rotation, ``named_dealer`` what a person said. ``unseen`` are the
    versions of cards that nobody saw laid (asked for after a sweep), answered or not: they
    take their place in a trick by turn, since nothing else tells it. ``left``: a later deal has
    begun, or the game was stopped, so that nothing more will be played.
    """

    number: int
    facts: tuple[Recorded, ...]
    declared: Declared | None
    declared_version: int | None
    expected_dealer: Seat | None
    named_dealer: Seat | None
    confirmed: bool
    rulings: Mapping[str, FindingRuled]
    ruleset: Ruleset
    names: tuple[str, ...]
    unseen: frozenset[int] = frozenset()
    left: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """A card in its place in a trick.

    ``card`` None: not known (yet), an open review (its version in ``review``) holds the place.
    ``version`` is the fact it comes from.
    """

    seat: Seat | None
    card: Card | None
    version: int
    at_us: int
    confidence: float
    track: int | None
    evidence: str | None
    review: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenBack:
    """A card that was laid and went back into the hand.

    ``version`` is the fact that says so. ``stage``: the trick was ``open``, or ``complete``, or
    the next lead had been made (``led``): then the card stands all the same.
    """

    play: Play
    version: int
    stage: Literal["open", "complete", "led"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trick:
    """One trick, in order of play, the leader's card first.

    ``plays`` holds one play a seat; ``extra`` what lay there beside them: a second card of a
    seat, a card of the partner who sits out, a doubt whose place a sure card has taken.
    ``complete``: every seat in play has its place filled; ``closed``: swept, or the next trick
    has begun; ``cleared``: seen swept. ``taken_back``: cards that were laid and taken up again.
    """

    number: int
    plays: tuple[Play, ...]
    extra: tuple[Play, ...]
    complete: bool
    closed: bool
    cleared: bool
    winner: Seat | None
    taken_back: tuple[TakenBack, ...] = ()

    @property
    def leader(self) -> Seat | None:
        return self.plays[0].seat if self.plays else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Upcard:
    """The card turned up. ``card`` None: an open review (``review``) holds its place."""

    card: Card | None
    state: UpcardState
    version: int
    at_us: int
    confidence: float
    track: int | None
    evidence: str | None
    review: int | None = None
    #: The fact that says it was taken or turned down, if one does.
    settled_by: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """An open question about a reading; ``version`` of its fact is its id.

    ``target`` is the version of the card that is doubted, for ``changed`` readings.
    """

    version: int
    subject: str
    seat: Seat | None
    candidates: Votes
    reason: str
    track: int | None
    box: tuple[float, ...] | None
    evidence: str | None
    at_us: int
    deal: int
    trick: int | None
    target: int | None = None


def review_of(
    recorded: Recorded, fact: ReviewRaised, *, deal: int, trick: int | None, target: int | None
) -> Review:
    """The question that ``fact``, recorded as ``recorded``, puts to people."""
    return Review(
        version=recorded.version,
        subject=fact.subject,
        seat=fact.seat,
        candidates=fact.candidates,
        reason=fact.reason,
        track=fact.track,
        box=fact.box,
        evidence=fact.evidence,
        at_us=recorded.at_us,
        deal=deal,
        trick=trick,
        target=target,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What the rules make of the facts: never a silent change, always with a proposed ruling.

    ``id`` is ``deal:kind:seat:trick``. For a revoke: ``card`` was played off the suit of
    ``led`` in ``trick``, and ``proof``, played in ``proven_at_trick``, shows that the seat
    could have followed. ``doubt`` names a reason to doubt it first; ``doubtful`` keeps it from
    being applied unasked. ``text`` and ``ruling`` are ``said`` and ``proposed`` in English.
    ``verdict``: what the cards say of a player's claim. ``versions`` are
    the facts it rests on, ``evidence`` their pictures.
    """

    id: str
    kind: str
    deal: int
    seat: Seat | None
    trick: int | None
    card: Card | None
    led: Card | None
    proof: Card | None
    proven_at_trick: int | None
    text: str
    said: Sentence
    ruling: str
    proposed: Sentence
    status: FindingStatus
    versions: tuple[int, ...]
    evidence: tuple[str, ...]
    doubt: str | None = None
    doubtful: bool = False
    #: Of a claim: ``open``, ``proved``, ``cleared``, ``rejected`` or ``unresolved``.
    verdict: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """An open claim: ``seat`` is void in the suit of ``led`` since ``trick``, says its play."""

    seat: Seat
    trick: int
    card: Card
    led: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Auction:
    """What a deal of buck has of its own.

    ``bids`` in order; ``bid`` is what the maker bid, None until known. ``swapped`` are the seats
    that took the widow, in order, ``stayed`` and ``dropped`` those that said so.
    """

    bids: tuple[TricksBid, ...]
    bid: int | None
    swapped: tuple[Seat, ...]
    stayed: tuple[Seat, ...]
    dropped: tuple[Seat, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCard:
    """A card that lay open before its seat, in the game for two.

    ``card`` None: a doubt about it is open. ``playable_from`` is the first trick it could be
    played to: 1 where it was dealt face up, else the one after the tricks that had begun.
    """

    seat: Seat
    card: Card | None
    version: int
    playable_from: int
    track: int | None
    evidence: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What a deal for two has of its own: the table cards seen so far, in order."""

    cards: tuple[TableCard, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Partnership:
    """What a deal of call-ace has of its own: the card the maker called, and what it told.

    ``standing``: ``uncalled``; ``hidden`` until the card falls; ``partner`` when another seat
    played it; ``own`` when the maker did and ``buried`` when nobody held it, which both score
    as alone; ``alone`` when the maker said so.
    """

    called: Card | None
    partner: Seat | None
    standing: Literal["uncalled", "hidden", "partner", "own", "buried", "alone"]


Particulars: TypeAlias = Auction | Layout | Partnership


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal:
    """A deal, finished or under way.

    ``winners`` has a seat (or None) for each finished trick; ``tricks_won`` counts each side's.
    ``played_points`` are the points as played, ``points`` those that count after rulings; both
    None until known. ``result`` is the score case: ``made``, ``march``, ``euchre``,
    ``thrown_in``, ``revoke`` ... ``complete``: no further card belongs to this deal.
    ``claims`` are those neither proved nor cleared.
    """

    number: int
    dealer: Seat | None
    upcard: Upcard | None
    calls: tuple[Called, ...]
    declared: Declared | None
    declared_version: int | None
    maker: Seat | None
    trump: Trump | None
    alone: tuple[Seat, ...]
    sits_out: tuple[Seat, ...]
    tricks: tuple[Trick, ...]
    exposed: tuple[Play, ...]
    phase: Phase
    complete: bool
    thrown_in: str | None
    confirmed: bool
    turn: Seat | None
    winners: tuple[Seat | None, ...]
    tricks_won: tuple[int, ...]
    played_points: tuple[int, ...] | None
    played_result: str | None
    points: tuple[int, ...] | None
    result: str | None
    findings: tuple[Finding, ...]
    reviews: tuple[Review, ...]
    claims: tuple[Claim, ...]
    #: How many sit at the table.
    seats: int = 4
    #: It was counted by hand: nothing but this is known of it.
    kept: DealKept | None = None
    #: A lone hand may hold a card that its partner passed to it.
    passes_cards: bool = False
    #: What games other than the four-handed one know of a deal beside all this.
    particulars: Particulars | None = None

    @property
    def upcard_state(self) -> UpcardState | None:
        return None if self.upcard is None else self.upcard.state

    @property
    def makers(self) -> Side | None:
        if self.kept is not None:
            return self.kept.makers
        return None if self.maker is None else side_of(self.maker, self.seats)

    @property
    def trick(self) -> Trick | None:
        """The trick under way, or the last one begun."""
        return self.tricks[-1] if self.tricks else None

    def may_hold_upcard(self, seat: Seat | None) -> bool:
        """Whether the up-card, once taken, may come from ``seat``: the dealer, or a lone partner
        to whom the dealer may have passed it.
        """
        if seat is None or self.dealer is None or seat == self.dealer:
            return True
        return self.passes_cards and self.dealer in self.sits_out and seat in self.alone

    @property
    def has_plays(self) -> bool:
        return bool(self.tricks)

    def in_play(self) -> tuple[Seat, ...]:
        """The seats that play to the tricks, clockwise from North."""
        return tuple(seat for seat in range(self.seats) if seat not in self.sits_out)

    def to_play(self) -> tuple[Seat, ...]:
        """The seats that have yet to play to the trick under way, in order.

        Before a lead: from the seat to lead, if known; else every seat in play.
        """
        trick = self.trick
        if trick is None or not trick.plays or trick.closed or trick.complete:
            first = self.turn if self.turn is not None else 0
            done: set[Seat | None] = set()
        else:
            first = trick.leader if trick.leader is not None else 0
            done = {play.seat for play in trick.plays}
        order = tuple((first + step) % self.seats for step in range(self.seats))
        return tuple(seat for seat in order if seat not in self.sits_out and seat not in done)

    def seen(self) -> dict[Card, Play]:
        """The cards played in this deal, each with its first play."""
        cards: dict[Card, Play] = {}
        for trick in self.tricks:
            for play in (*trick.plays, *trick.extra):
                if play.card is not None:
                    cards.setdefault(play.card, play)
        return cards
