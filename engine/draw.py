"""The draw for the first dealer, from the cards (RULES.md, "Pack"): it scores nothing.

By the first black jack, cards are dealt face up and whoever gets it deals (source A); by the
highest card each cuts one and the highest deals, ace high, those who are level cutting again
(source B). Which it is, is a rule of the table. A card that nobody could read holds its place:
until it is known, nobody has been drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.cards import JOKERS, RANKS, Card, Seat, rank_of
from engine.deal import Play, Review, review_of
from engine.facts import CardDrawn, Recorded, ReviewRaised, TrickCleared
from engine.ruleset import Ruleset, bennies_of

_BLACK_JACKS: Final = (Card("Jc"), Card("Js"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """The draw as it is known so far.

    ``method``: ``black_jack`` or ``highest_card``. ``cards`` in the order drawn, each with the
    seat it fell to; ``lying``: those not gathered yet. ``awaited``: who has yet to cut a card, by
    the highest card. ``dealer``: whom the cards name, None while they name nobody.
    """

    method: str
    cards: tuple[Play, ...]
    lying: tuple[Play, ...]
    awaited: tuple[Seat, ...]
    dealer: Seat | None
    reviews: tuple[Review, ...]


def read_draw(told: Sequence[Recorded], ruleset: Ruleset, seats: int) -> Draw:
    """The draw that these facts, all of it and in order, tell of."""
    cards: list[Play] = []
    reviews: list[Review] = []
    gathered = 0
    for recorded in told:
        match recorded.fact:
            case CardDrawn() as fact:
                cards.append(_drawn(recorded, fact))
            case ReviewRaised() as fact:
                reviews.append(_asked(recorded, fact, cards))
                if fact.reason != "changed":
                    cards.append(_drawn(recorded, fact))
            case TrickCleared():  # pragma: no branch - nothing else is told of a draw
                gathered = len(cards)
    if ruleset.first_dealer == "highest_card":
        awaited, dealer = _highest(cards, bennies_of(ruleset).union(JOKERS), tuple(range(seats)))
    else:
        awaited, dealer = (), _first_black_jack(cards)
    return Draw(
        method=ruleset.first_dealer,
        cards=tuple(cards),
        lying=tuple(cards[gathered:]),
        awaited=awaited,
        dealer=dealer,
        reviews=tuple(reviews),
    )


def _drawn(recorded: Recorded, fact: CardDrawn | ReviewRaised) -> Play:
    known = fact if isinstance(fact, CardDrawn) else None
    return Play(
        seat=fact.seat,
        card=None if known is None else known.card,
        version=recorded.version,
        at_us=recorded.at_us,
        confidence=0.0 if known is None else known.confidence,
        track=fact.track,
        evidence=fact.evidence,
        review=recorded.version if known is None else None,
    )


def _asked(recorded: Recorded, fact: ReviewRaised, cards: Sequence[Play]) -> Review:
    doubted = (c.version for c in reversed(cards) if c.track == fact.track)
    target = next(doubted, None) if fact.reason == "changed" else None
    return review_of(recorded, fact, deal=1, trick=None, target=target)


def _first_black_jack(cards: Sequence[Play]) -> Seat | None:
    for drawn in cards:
        if drawn.card is None:
            return None  # it may be the one
        if drawn.card in _BLACK_JACKS:
            return drawn.seat
    return None


def _highest(
    cards: Sequence[Play], jokers: frozenset[Card], seats: tuple[Seat, ...]
) -> tuple[tuple[Seat, ...], Seat | None]:
    """Who has yet to cut, and who cut the highest."""
    level = seats
    cut: dict[Seat, Card | None] = {}
    for drawn in cards:
        seat = drawn.seat
        if seat is None:
            return level, None  # it may be anybody's
        # A joker has no rank in a cut: the seat cuts again.
        if seat not in level or seat in cut or drawn.card in jokers:
            continue
        cut[seat] = drawn.card
        known = {at: RANKS.index(rank_of(card)) for at, card in cut.items() if card is not None}
        if len(known) < len(level):
            continue
        best = max(known.values())
        level, cut = tuple(at for at in level if known[at] == best), {}
        if len(level) == 1:
            return (), level[0]
    return tuple(seat for seat in level if seat not in cut), None
