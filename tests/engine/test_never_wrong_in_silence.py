"""A deal seen badly: either the score is right, or something is asked or found. Never silence.

The camera's story of a random legal deal is spoilt in one or two places, in the ways that a
real table spoils it, and read. A card misread surely as a card that lies nowhere else cannot
be noticed by anybody at once, so that one spoiling is not among them.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from engine_scenes import BOX, Table
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracle_euchre import PACK, Truth, deal_out

from engine.cards import Card
from engine.commands import AnswerReview, Declare
from engine.sightings import (
    CardLeft,
    CardReread,
    CardRested,
    CardTurnedDown,
    Place,
    Sighting,
    TableCleared,
)


def story(truth: Truth) -> list[Sighting]:
    """What a perfect tracker reports of the deal."""
    seen: list[Sighting] = [
        CardRested(
            at_us=1_000_000,
            track=1,
            card=Card(truth.upcard),
            confidence=0.99,
            votes=((Card(truth.upcard), 0.99),),
            place=Place(seat=2, middle=True, clear=False),
            box=BOX,
            laid_from=truth.dealer,
        ),
        CardLeft(at_us=8_000_000, track=1)
        if truth.taken
        else CardTurnedDown(at_us=8_000_000, track=1),
    ]
    clock_us, track = 20_000_000, 1
    for number in range(1, 6):
        lying = []
        for n, seat, card in truth.plays:
            if n != number:
                continue
            clock_us += 1_200_000
            track += 1
            lying.append(track)
            seen.append(
                CardRested(
                    at_us=clock_us,
                    track=track,
                    card=Card(card),
                    confidence=0.99,
                    votes=((Card(card), 0.99),),
                    place=Place(seat=seat),
                    box=BOX,
                    laid_from=seat,
                )
            )
        clock_us += 2_000_000
        seen += [CardLeft(at_us=clock_us, track=t) for t in lying]
        seen.append(TableCleared(at_us=clock_us))
    return seen


def _plays(seen: list[Sighting]) -> list[int]:
    return [i for i, s in enumerate(seen) if isinstance(s, CardRested) and not s.place.middle]


def spoil(seen: list[Sighting], how: str, rng: random.Random) -> list[Sighting]:
    """The story with one thing gone wrong."""
    place = rng.choice(_plays(seen))
    played = seen[place]
    assert isinstance(played, CardRested)
    out = list(seen)
    match how:
        case "missed":
            del out[place]
        case "doubtful":
            other = rng.choice([c for c in PACK if c != played.card])
            votes = ((Card(other), 0.5), (played.card or Card(other), 0.4))
            out[place] = replace(played, card=None, votes=votes, why="low")
        case "seen again":
            out.insert(place + 1, replace(played, track=played.track + 500))
        case "one card as two":
            votes = ((Card(rng.choice(PACK)), 0.6),)
            twin = replace(played, card=None, votes=votes, track=played.track + 500)
            out.insert(min(len(out), place + rng.randrange(1, 4)), twin)
        case "no sweep":
            sweep = rng.choice([i for i, s in enumerate(out) if isinstance(s, TableCleared)])
            del out[sweep]
        case "late report":
            # Reported after the next card, with the moment it came to rest. The sweep waits.
            if isinstance(out[place + 1], CardRested):
                out[place], out[place + 1] = out[place + 1], out[place]
        case "marker":
            face = Card(rng.choice(["4s", "6d", "5h"]))
            marker = replace(played, card=face, votes=((face, 0.99),), track=900, laid_from=None)
            out.insert(place, replace(marker, place=Place(seat=rng.randrange(4))))
        case "border":
            out[place] = replace(
                played,
                place=Place(seat=((played.place.seat or 0) + rng.choice([0, 1])) % 4, clear=False),
                laid_from=rng.choice([None, played.laid_from]),
            )
        case "flicker":
            other = Card(rng.choice([c for c in PACK if c != played.card]))
            reread = CardReread(
                at_us=played.at_us + 400_000,
                track=played.track,
                card=other,
                confidence=0.98,
                votes=((other, 0.98),),
            )
            back = replace(reread, at_us=reread.at_us + 400_000, card=played.card or other)
            out[place + 1 : place + 1] = [reread, back]
        case "misread as a card seen before":
            earlier = [
                s.card for s in seen[:place] if isinstance(s, CardRested) and s.card is not None
            ]
            out[place] = replace(played, card=rng.choice(earlier))
    return out


FAULTS = [
    "missed",
    "doubtful",
    "seen again",
    "one card as two",
    "no sweep",
    "late report",
    "marker",
    "border",
    "flicker",
    "misread as a card seen before",
]


def watched(truth: Truth, faults: list[str], rng: random.Random, *, said: str) -> Table:
    seen = story(truth)
    for fault in faults:
        seen = spoil(seen, fault, rng)
    made = Table(dealer=truth.dealer)
    declare = Declare(maker=truth.maker, trump=truth.trump, alone=truth.alone)
    for place, sighting in enumerate(seen):
        made.see(sighting)
        if place == 1 and said == "early":
            made.tell(declare)
    if said == "late":
        made.tell(replace(declare, deal=1))
    return made


def deal_on(made: Table, truth: Truth) -> None:
    """The next deal, as far as its first trick."""
    following = deal_out(random.Random(1), dealer=(truth.dealer + 1) % 4)
    for sighting in story(following)[: 2 + 4]:
        moved = replace(sighting, at_us=sighting.at_us + 600_000_000)
        if not isinstance(moved, TableCleared):
            moved = replace(moved, track=moved.track + 1_000)
        made.see(moved)


def right_or_told(made: Table, truth: Truth) -> None:
    state = made.state
    told = bool(state.reviews or state.findings) or len(state.deals) != 1
    deal = state.deals[0]
    if not told and not deal.complete:
        # A lead swept with all its followers unseen looks like a lead taken up again, where the
        # same seat leads next. It scores nothing, and the next deal says that this one is open.
        deal_on(made, truth)
        assert made.state.reviews or made.state.findings
        return
    if not told:
        assert deal.complete
        assert deal.points == truth.points
        assert list(deal.winners) == truth.winners
    if not told or not state.reviews:
        return
    # Points are not shown as sure while a card of the deal is still asked for.
    unknown = any(p.card is None for t in deal.tricks for p in t.plays)
    if unknown:
        assert deal.points is None


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("said", ["early", "late"])
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), dealer=st.integers(0, 3))
def test_one_fault_is_right_or_told(fault: str, said: str, seed: int, dealer: int) -> None:
    rng = random.Random(seed)
    truth = deal_out(rng, dealer=dealer)
    right_or_told(watched(truth, [fault], rng, said=said), truth)


@settings(max_examples=200, deadline=None)
# The last card of the deal unseen, its trick gathered card by card with no sweep seen.
@example(seed=2696706, faults=["no sweep", "missed"])
# Alone: both followers of trick 4 unseen, and its winner leads again.
@example(seed=4398183, faults=["missed", "missed"])
@given(
    seed=st.integers(0, 2**32 - 1),
    faults=st.lists(st.sampled_from(FAULTS), min_size=2, max_size=3),
)
def test_several_faults_are_right_or_told(seed: int, faults: list[str]) -> None:
    rng = random.Random(seed)
    truth = deal_out(rng, dealer=rng.randrange(4))
    right_or_told(watched(truth, faults, rng, said="early"), truth)


@pytest.mark.parametrize(
    "fault", ["no sweep", "late report", "seen again", "one card as two", "marker"]
)
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_what_is_no_doubt_asks_nobody(fault: str, seed: int) -> None:
    """These are everyday: a person is not asked, and nobody is accused."""
    rng = random.Random(seed)
    truth = deal_out(rng, dealer=0, alone_share=0.0)
    made = watched(truth, [fault], rng, said="early")
    if fault == "marker":
        # A marker put down where a card is awaited is asked about, once.
        assert all(r.reason == "foreign" for r in made.state.reviews)
    else:
        assert made.state.reviews == ()
    assert made.state.findings == ()
    for review in made.state.reviews:
        made.tell(AnswerReview(review=review.version, card=None))
    assert made.state.findings == ()
    assert made.state.deals[0].points == truth.points


@pytest.mark.parametrize("fault", ["missed", "doubtful"])
@settings(max_examples=40, deadline=None)
# Against a lone hand both cards that followed a lead go unseen, and the trick is swept.
@example(seed=10852, dealer=1)
# Against a lone hand the lead and the next card go unseen.
@example(seed=139, dealer=0)
@given(seed=st.integers(0, 2**32 - 1), dealer=st.integers(0, 3))
def test_once_the_questions_are_answered_the_deal_is_right(
    fault: str, seed: int, dealer: int
) -> None:
    rng = random.Random(seed)
    truth = deal_out(rng, dealer=dealer)
    made = watched(truth, [fault, fault], rng, said="early")
    cards = {(n, seat): card for n, seat, card in truth.plays}
    for review in made.state.reviews:
        assert review.trick is not None
        assert review.seat is not None
        made.tell(AnswerReview(review=review.version, card=Card(cards[review.trick, review.seat])))
    deal = made.state.deals[0]
    assert deal.points == truth.points
    assert list(deal.winners) == truth.winners
    assert made.state.findings == ()
