"""Whatever is seen and tapped, in any order: the engine answers, never falls over, and keeps
its word about what it shows."""

from __future__ import annotations

import json
from typing import Any

from engine_scenes import BOX, started
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import Card
from engine.commands import (
    AdjustScore,
    AnswerReview,
    Call,
    ClearTrick,
    Command,
    ConfirmDeal,
    Correct,
    Declare,
    EndGame,
    NameDealer,
    PlayCard,
    Rejected,
    ReportShuffle,
    RuleFinding,
    ShowUpcard,
    TakeUpcard,
    ThrowIn,
    TurnDownUpcard,
    Undo,
)
from engine.decide import decide
from engine.facts import Fact, Recorded
from engine.intake import Ignored, interpret
from engine.sightings import (
    CardLeft,
    CardReread,
    CardRested,
    CardTurnedDown,
    Place,
    Sighting,
    TableCleared,
    TableCovered,
)
from engine.state import State, apply, fold
from engine.view import snapshot

#: Few cards, so that the same one is often seen twice; two lie outside the pack.
CARDS = st.sampled_from(
    [
        Card(c)
        for c in [
            "9c",
            "Tc",
            "Jc",
            "Js",
            "Ac",
            "9h",
            "Jh",
            "Jd",
            "Ah",
            "Kd",
            "As",
            "Qs",
            "8c",
            "2s",
            "B",
        ]
    ]
)
SEATS = st.integers(min_value=0, max_value=3)
MAYBE_SEAT = st.none() | SEATS
TRACKS = st.integers(min_value=1, max_value=12)
VERSIONS = st.integers(min_value=1, max_value=40)
VOTES = st.lists(st.tuples(CARDS, st.floats(0.1, 0.9)), max_size=3, unique_by=lambda v: v[0])
TIMES = st.integers(min_value=0, max_value=20_000_000)


@st.composite
def sightings(draw: st.DrawFn) -> Sighting:
    at_us = draw(TIMES)
    match draw(st.sampled_from("rrrrrrrreltcc")):
        case "r":
            return CardRested(
                at_us=at_us,
                track=draw(TRACKS),
                card=draw(CARDS | st.none()),
                confidence=0.9,
                votes=tuple(draw(VOTES)),
                place=Place(
                    seat=draw(MAYBE_SEAT),
                    middle=draw(st.sampled_from([False, False, True])),
                    clear=draw(st.sampled_from([True, True, False])),
                ),
                box=BOX,
                laid_from=draw(MAYBE_SEAT),
                why=draw(st.sampled_from([None, "low", "duplicate", "foreign"])),
            )
        case "e":
            return CardReread(
                at_us=at_us,
                track=draw(TRACKS),
                card=draw(CARDS),
                confidence=0.99,
                votes=tuple(draw(VOTES)),
            )
        case "l":
            return CardLeft(at_us=at_us, track=draw(TRACKS))
        case "t":
            return CardTurnedDown(at_us=at_us, track=draw(TRACKS))
        case "c":
            return TableCleared(at_us=at_us)
    return TableCovered(at_us=at_us)


def commands() -> st.SearchStrategy[Command]:
    trumps = st.sampled_from(["c", "d", "h", "s", "n", "x"])
    return st.one_of(
        st.builds(NameDealer, dealer=SEATS),
        st.builds(ShowUpcard, card=CARDS, dealer=MAYBE_SEAT),
        st.builds(TakeUpcard),
        st.builds(TurnDownUpcard),
        st.builds(
            Call,
            seat=SEATS,
            call=st.sampled_from(["pass", "order_up", "pick_up", "name"]),
            suit=st.none() | trumps,
            alone=st.booleans(),
        ),
        st.builds(
            Declare,
            maker=SEATS,
            trump=trumps,
            alone=MAYBE_SEAT,
            defender_alone=MAYBE_SEAT,
            deal=st.none() | st.integers(0, 3),
        ),
        st.builds(PlayCard, seat=SEATS, card=CARDS),
        st.builds(ClearTrick),
        st.builds(ThrowIn, reason=st.sampled_from(["passed_out", "redeal"])),
        st.builds(ConfirmDeal, deal=st.none() | st.integers(0, 3)),
        st.builds(AnswerReview, review=VERSIONS, card=CARDS | st.none(), seat=MAYBE_SEAT),
        st.builds(
            Correct,
            target=VERSIONS,
            reason=st.just("so"),
            card=CARDS | st.none(),
            seat=MAYBE_SEAT,
            strike=st.booleans(),
        ),
        st.builds(Undo),
        st.builds(
            RuleFinding,
            finding=st.sampled_from(["1:revoke:0:1", "1:revoke:1:1", "1:revoke:2:2"]),
            ruling=st.sampled_from(["uphold", "dismiss"]),
        ),
        st.builds(AdjustScore, points=st.tuples(st.integers(-2, 2), SEATS), reason=st.just("so")),
        st.builds(ReportShuffle, seat=SEATS, passes=SEATS),
    )


RULES = st.fixed_dictionaries(
    {},
    optional={
        "defend_alone": st.sampled_from(["off", "vs_lone", "any"]),
        "revoke_judge": st.sampled_from(["ask", "automatic"]),
        "revoke_mode": st.sampled_from(["award", "deduct", "loss_of_trick"]),
        "upcard_may_be_discarded": st.booleans(),
        "no_trump": st.sampled_from(["off", "round2"]),
        "target": st.sampled_from([1, 10]),
        "deals": st.sampled_from([None, 1]),
    },
)


class Kept:
    """A game whose state is kept by ``apply`` and checked against ``fold`` at the end."""

    def __init__(self, dealer: int | None, rules: dict[str, Any]) -> None:
        self.records: list[Recorded] = []
        self.state = State()
        self.add((started(dealer, **rules),), 0)

    def add(self, facts: tuple[Fact, ...], at_us: int) -> None:
        for fact in facts:
            version = len(self.records) + 1
            record = Recorded(
                seq=version, game_id="g", version=version, at_us=at_us, source="test", fact=fact
            )
            self.records.append(record)
            self.state = apply(self.state, record)


@settings(max_examples=250, deadline=None)
@given(
    steps=st.lists(sightings() | sightings() | commands(), max_size=60),
    dealer=MAYBE_SEAT,
    rules=RULES,
)
def test_any_sightings_and_commands_in_any_order_are_answered(
    steps: list[Any], dealer: int | None, rules: dict[str, Any]
) -> None:
    kept = Kept(dealer, rules)
    for step in steps:
        out: Any
        if isinstance(step, Sighting):
            out = interpret(kept.state, step)
            at_us = step.at_us
        else:
            out = decide(kept.state, step)
            at_us = 20_000_000
        if isinstance(out, Ignored | Rejected):
            assert out.reason
            continue
        assert out
        kept.add(out, at_us)
    state = kept.state
    assert state == fold(kept.records)
    view = snapshot(state, kept.records)
    assert json.loads(json.dumps(view)) == view
    _keeps_its_word(state)


def _keeps_its_word(state: State) -> None:
    for deal in state.deals:
        for trick in deal.tricks:
            seats = [p.seat for p in trick.plays if p.seat is not None]
            assert len(seats) == len(set(seats))
            assert not set(seats) & set(deal.sits_out)
            if trick.winner is not None:
                assert trick.winner in seats
                assert all(p.card is not None for p in trick.plays)
        assert len({f.id for f in deal.findings}) == len(deal.findings)
        assert len(deal.tricks) <= state.ruleset.hand_size
        open_places = [
            p.review for t in deal.tricks for p in (*t.plays, *t.extra) if p.review is not None
        ]
        asked = {r.version for r in deal.reviews}
        assert set(open_places) <= asked
    numbers = [deal.number for deal in state.deals]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(state.scores) == len(state.deals)


def test_ending_the_game_is_answered_at_any_time() -> None:
    kept = Kept(0, {})
    assert not isinstance(decide(kept.state, EndGame(reason="late")), Rejected)
