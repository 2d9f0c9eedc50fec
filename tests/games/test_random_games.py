"""Random deals of the other games, played by a slow referee that sees every hand.

The referee (``slow_games``) is written from RULES.md and shares nothing with the engine.
"""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest
from games_scenes import PRESETS, facts_of, folded, play, recorded, started
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_games import Played, tricks

from engine import codec
from engine.cards import Card
from engine.facts import (
    CardPlayed,
    Corrected,
    Declared,
    Fact,
    GameStarted,
    TableCardShown,
    TricksBid,
    UpcardShown,
)
from engine.score import score_json
from engine.state import State, apply, fold
from engine.view import snapshot

SEEDS = st.integers(min_value=0, max_value=2**32)
EXAMPLES = settings(max_examples=40, deadline=None, database=None)


def dealt(seed: int, preset: str, *, plant: bool = False) -> tuple[Played, list[Fact]]:
    rng = random.Random(seed)
    played = play(rng, preset, plant=plant)
    declare, clear = rng.random() < 0.5, rng.random() < 0.7
    return played, facts_of(preset, played, declare=declare, clear=clear)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_legal_deal_is_counted_as_the_slow_referee_counts_it_and_nothing_is_found(
    preset: str,
) -> None:
    @EXAMPLES
    @given(SEEDS)
    def check(seed: int) -> None:
        played, facts = dealt(seed, preset)
        state = folded(preset, *facts, dealer=played.dealer)
        (deal,) = state.deals
        assert state.findings == ()
        assert list(deal.winners) == played.winners
        assert deal.points == tuple(played.points)
        if played.plays:
            assert list(deal.tricks_won) == tricks(played)
        assert deal.complete
        assert deal.claims == ()
        before = 15 if preset == "buck3" else 0
        assert state.score == tuple(before + change for change in played.points)

    check()


@pytest.mark.parametrize("preset", PRESETS)
def test_a_planted_revoke_is_found_on_the_very_card_that_proves_it_and_no_other_is(
    preset: str,
) -> None:
    found = 0

    @settings(max_examples=50, deadline=None, database=None)
    @given(SEEDS)
    def check(seed: int) -> None:
        nonlocal found
        played, facts = dealt(seed, preset, plant=True)
        planted = played.planted
        state = State()
        accused: dict[tuple[int | None, int | None], tuple[int, Card | None]] = {}
        plays = 0
        for record in recorded([started(preset, played.dealer), *facts]):
            state = apply(state, record)
            for finding in state.findings:
                if finding.kind in ("revoke", "trump_in_doubt"):
                    key = (finding.seat, finding.trick)
                    accused.setdefault(key, (plays, finding.proof))
            plays += isinstance(record.fact, CardPlayed)
        if planted is None:
            assert accused == {}
            return
        found += 1
        ((place, (at, proof)),) = accused.items()
        assert place == (planted.seat, planted.trick)
        assert at == planted.provable_at
        assert proof in planted.proofs

    check()
    assert found >= 12


@pytest.mark.parametrize("preset", PRESETS)
def test_written_and_read_back_a_game_is_the_same_game(preset: str) -> None:
    @EXAMPLES
    @given(SEEDS)
    def check(seed: int) -> None:
        rng = random.Random(seed)
        facts: list[Fact] = [started(preset, None)]
        for _ in range(2):
            facts += facts_of(preset, play(rng, preset, plant=True), declare=True)
        records = recorded(facts)
        text = [codec.to_text(codec.recorded_to_json(record)) for record in records]
        again = tuple(codec.recorded_from_json(codec.from_text(line)) for line in text)
        assert again == records
        state = fold(again)
        assert state == fold(records)
        one_by_one = State()
        for record in records:
            one_by_one = apply(one_by_one, record)
        assert one_by_one == state
        assert snapshot(one_by_one, records) == snapshot(state, again)

    check()


@pytest.mark.parametrize("preset", PRESETS)
def test_a_correction_of_nothing_changes_nothing(preset: str) -> None:
    @settings(max_examples=25, deadline=None, database=None)
    @given(SEEDS)
    def check(seed: int) -> None:
        played, facts = dealt(seed, preset, plant=True)
        records = recorded([started(preset, played.dealer), *facts])
        target = records[random.Random(seed).randrange(1, len(records))]
        same = Corrected(target=target.version, replacement=target.fact, reason="as it was")
        after = fold(recorded([*(r.fact for r in records), same]))
        assert after.deals == fold(records).deals
        assert after.score == fold(records).score

    check()


def _turned(fact: Fact, by: int, seats: int) -> Fact:
    """The fact with every seat moved ``by`` places clockwise."""
    changes = {}
    for name in ("seat", "dealer", "maker", "alone"):
        value = getattr(fact, name, None)
        if isinstance(value, int) and not isinstance(value, bool):
            changes[name] = (value + by) % seats
    if isinstance(fact, Declared):
        changes["dropped"] = tuple((seat + by) % seats for seat in fact.dropped)  # type: ignore[assignment]
    return replace(fact, **changes)


@pytest.mark.parametrize("preset", PRESETS)
def test_seats_moved_around_the_table_give_the_same_result_moved_around(preset: str) -> None:
    @settings(max_examples=30, deadline=None, database=None)
    @given(SEEDS, st.integers(1, 5))
    def check(seed: int, by: int) -> None:
        played, facts = dealt(seed, preset, plant=True)
        seats = played.seats
        as_it_was = folded(preset, *facts, dealer=played.dealer).deals[0]
        turned = [_turned(fact, by, seats) for fact in facts]
        moved = folded(preset, *turned, dealer=(played.dealer + by) % seats).deals[0]
        assert as_it_was.points is not None
        assert moved.points is not None
        assert [moved.points[(seat + by) % seats] for seat in range(seats)] == list(
            as_it_was.points
        )
        assert [(f.kind, f.trick, f.card, f.proof) for f in moved.findings] == [
            (f.kind, f.trick, f.card, f.proof) for f in as_it_was.findings
        ]
        assert [(f.seat + by) % seats for f in as_it_was.findings if f.seat is not None] == [
            f.seat for f in moved.findings
        ]

    check()


def _relabelled(fact: Fact, names: dict[str, str]) -> Fact:
    """The fact with suits renamed; colours stay together, so bowers stay bowers."""
    changes = {}
    for name in ("card", "ace"):
        card = getattr(fact, name, None)
        if card is not None:
            changes[name] = card[0] + names[card[1]]
    for name in ("trump", "suit"):
        value = getattr(fact, name, None)
        if value is not None:
            changes[name] = names.get(value, value)
    return replace(fact, **changes)


@pytest.mark.parametrize("preset", PRESETS)
def test_suits_renamed_give_the_same_result(preset: str) -> None:
    renamings = [dict(zip("cdhs", order, strict=True)) for order in ("shdc", "dcsh", "hsdc")]
    assert all({names["c"], names["s"]} in ({"c", "s"}, {"d", "h"}) for names in renamings[:2])

    @settings(max_examples=30, deadline=None, database=None)
    @given(SEEDS, st.sampled_from(renamings[:2]))
    def check(seed: int, names: dict[str, str]) -> None:
        played, facts = dealt(seed, preset, plant=True)
        as_it_was = folded(preset, *facts, dealer=played.dealer).deals[0]
        renamed = [_relabelled(fact, names) for fact in facts]
        after = folded(preset, *renamed, dealer=played.dealer).deals[0]
        assert after.winners == as_it_was.winners
        assert after.points == as_it_was.points
        assert [(f.kind, f.seat, f.trick) for f in after.findings] == [
            (f.kind, f.seat, f.trick) for f in as_it_was.findings
        ]

    check()


@pytest.mark.parametrize("preset", PRESETS)
def test_a_game_of_many_deals_adds_up_and_ends_where_its_rules_say(preset: str) -> None:
    """The slow way: add until somebody is past the target alone at the top."""
    for seed in range(8):
        rng = random.Random(seed)
        dealer = rng.randrange(play(rng, preset).seats)
        facts: list[Fact] = [started(preset, dealer)]
        score: list[int] | None = None
        over_after = winner = None
        for number in range(1, 40):
            played = play(rng, preset)
            while played.dealer != dealer:
                played = play(rng, preset)
            score = score or [15 if preset == "buck3" else 0] * played.seats
            facts += facts_of(preset, played, declare=True)
            score = [a + b for a, b in zip(score, played.points, strict=True)]
            dealer = (dealer + 1) % played.seats
            if preset == "buck3":
                best, reached = min(score), min(score) <= 0
            else:
                best = max(score)
                reached = best >= {"two_hand": 31}.get(preset, 10)
            if reached and score.count(best) == 1:
                over_after, winner = number, score.index(best)
                break
        state = fold(recorded(facts))
        assert list(state.score) == score
        assert (state.over, state.winner) == (over_after is not None, winner)
        assert state.findings == ()
        told = score_json(recorded(facts))
        assert (told["score"], told["winner"]) == (score, winner)
        assert [d["points"] for d in told["deals"]] == [list(d.points or ()) for d in state.deals]


@pytest.mark.parametrize("preset", PRESETS)
def test_nothing_is_known_before_it_is_known(preset: str) -> None:
    """Points never come before the last card, and only grow with whole deals."""
    for seed in range(10):
        played, facts = dealt(seed, preset)
        if not played.plays:
            continue
        states = []
        state = State()
        for record in recorded([started(preset, played.dealer), *facts]):
            state = apply(state, record)
            states.append(state)
        before_the_last = [
            s for s in states if s.deals and len(s.deals[0].winners) < len(played.winners)
        ]
        assert all(s.deals[0].points is None for s in before_the_last)
        assert all(a.version + 1 == b.version for a, b in pairwise(states))


def test_the_facts_that_only_other_games_have_are_all_in_these_deals() -> None:
    kinds = set()
    for preset in PRESETS:
        for seed in range(12):
            kinds |= {type(fact) for fact in dealt(seed, preset)[1]}
    assert {Declared, TricksBid, TableCardShown, UpcardShown} <= kinds
    assert GameStarted not in kinds
