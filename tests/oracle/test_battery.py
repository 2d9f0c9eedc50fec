"""What must hold for every four-handed preset whatever is played: the generic battery.

(A legal deal without a finding is in ``test_planted_revokes``; the games of another shape have
theirs in tests/games.)
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proof_scenes import facts_of, recorded, started
from slow_referee import PRESETS, Truth, deal_out, play_out, rules_of

from engine.cards import Card
from engine.codec import from_text, recorded_from_json, recorded_to_json, to_text
from engine.facts import CardPlayed, Corrected, Declared, Fact, UpcardShown
from engine.state import State, apply, fold

SEEDS = st.integers(min_value=0, max_value=2**32 - 1)
#: Renamings of the suits that keep colours together: the only ones that keep the game.
RENAMINGS = ["sdhc", "chds", "shdc", "dcsh", "dsch", "hcsd", "hscd"]
PRESETS_AND_MORE: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in PRESETS),
    ("joker", {"jokers": 2, "no_trump": "both"}),
    ("pub", {"no_trump": "round2", "defend_alone": "any"}),
    ("thirty_two", {"hand_size": 7, "jokers": 1}),
]
EVERY_PRESET = pytest.mark.parametrize(
    ("preset", "options"),
    PRESETS_AND_MORE,
    ids=lambda v: v if isinstance(v, str) else "-".join(v) or "plain",
)


def _dealt(seed: int, preset: str, options: dict[str, Any]) -> Truth:
    chance, rules = random.Random(seed), rules_of(preset, **options)
    truth = deal_out(chance, rules, dealer=seed % 4)
    return play_out(chance, truth, rules, plant=seed % 3 > 0)


def _folded(preset: str, options: dict[str, Any], dealer: int, facts: list[Fact]) -> State:
    return fold(recorded([started(preset, dealer, **options), *facts]))


def _gist(state: State, *, turned: int = 0, names: dict[str, str] | None = None) -> Any:
    """Winners, points and findings, seats turned and suits renamed."""
    deal = state.deals[0]

    def card(text: str | None) -> str | None:
        if text is None or names is None or len(text) == 1:
            return text
        return text[0] + names[text[1]]

    points = deal.played_points
    assert points is not None
    return (
        [None if seat is None else (seat + turned) % 4 for seat in deal.winners],
        points if turned % 2 == 0 else points[::-1],
        sorted(
            (
                f.kind,
                -1 if f.seat is None else (f.seat + turned) % 4,
                f.trick,
                card(f.card),
                card(f.proof),
            )
            for f in state.findings
        ),
    )


def _turned(fact: Fact, by: int) -> Fact:
    match fact:
        case CardPlayed(seat=seat):
            return replace(fact, seat=(seat + by) % 4)
        case UpcardShown(dealer=int(dealer)):
            return replace(fact, dealer=(dealer + by) % 4)
        case Declared(maker=maker, alone=alone, defender_alone=defender):
            return replace(
                fact,
                maker=(maker + by) % 4,
                alone=None if alone is None else (alone + by) % 4,
                defender_alone=None if defender is None else (defender + by) % 4,
            )
    return fact


def _renamed(fact: Fact, names: dict[str, str]) -> Fact:
    match fact:
        case CardPlayed(card=card) | UpcardShown(card=card) if len(card) == 2:
            return replace(fact, card=Card(card[0] + names[card[1]]))
        case Declared(trump=trump):
            return replace(fact, trump=names.get(trump, trump))
    return fact


@EVERY_PRESET
def test_turning_the_table_or_renaming_the_suits_gives_the_same_result(
    preset: str, options: dict[str, Any]
) -> None:
    @settings(max_examples=30, deadline=None, database=None)
    @given(SEEDS, st.integers(min_value=1, max_value=3), st.sampled_from(RENAMINGS))
    def check(seed: int, by: int, order: str) -> None:
        names = dict(zip("cdhs", order, strict=True))
        truth = _dealt(seed, preset, options)
        facts = facts_of(truth)
        first = _folded(preset, options, truth.dealer, facts)
        turned = [_turned(fact, by) for fact in facts]
        second = _folded(preset, options, (truth.dealer + by) % 4, turned)
        assert _gist(second) == _gist(first, turned=by)
        renamed = [_renamed(fact, names) for fact in facts]
        third = _folded(preset, options, truth.dealer, renamed)
        assert _gist(third) == _gist(first, names=names)

    check()


@EVERY_PRESET
def test_written_out_read_back_and_folded_a_game_is_the_same(
    preset: str, options: dict[str, Any]
) -> None:
    @settings(max_examples=20, deadline=None, database=None)
    @given(SEEDS)
    def check(seed: int) -> None:
        truth = _dealt(seed, preset, options)
        records = recorded([started(preset, truth.dealer, **options), *facts_of(truth)])
        texts = [to_text(recorded_to_json(record)) for record in records]
        back = [recorded_from_json(from_text(text)) for text in texts]
        assert back == records
        assert fold(back) == fold(records)
        one_by_one = State()
        for record in back:
            one_by_one = apply(one_by_one, record)
        assert one_by_one == fold(records)

    check()


@EVERY_PRESET
def test_a_correction_of_nothing_changes_nothing(preset: str, options: dict[str, Any]) -> None:
    @settings(max_examples=20, deadline=None, database=None)
    @given(SEEDS)
    def check(seed: int) -> None:
        truth = _dealt(seed, preset, options)
        facts: list[Fact] = [started(preset, truth.dealer, **options), *facts_of(truth)]
        before = fold(recorded(facts))
        target = random.Random(seed).randrange(2, len(facts) + 1)
        same = Corrected(target=target, replacement=facts[target - 1], reason="looked again")
        after = fold(recorded([*facts, same]))
        assert after.deals == before.deals
        assert after.score == before.score
        assert after.findings == before.findings

    check()
