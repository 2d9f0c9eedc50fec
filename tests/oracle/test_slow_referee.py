"""The engine against the slow referee: every four-handed preset under random options."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proof_scenes import facts_of, judged, recorded, started
from slow_referee import PRESETS, deal_out, may_play, perft, play_out, rules_of, winner

from engine.cards import Card, Seat
from engine.follow import effective_suit, legal_cards, trick_winner
from engine.state import fold
from engine.turns import next_to_play

SEEDS = st.integers(min_value=0, max_value=2**32 - 1)


@st.composite
def options(draw: st.DrawFn) -> dict[str, Any]:
    """Options that change how a deal is dealt, played, proved or paid."""
    made: dict[str, Any] = {
        "no_trump": draw(st.sampled_from(["off", "round2", "both"])),
        "upcard_may_be_discarded": draw(st.booleans()),
        "alone_by": draw(st.sampled_from(["maker", "either_partner"])),
        "lone_lead": draw(st.sampled_from(["left_of_lone", "left_of_dealer"])),
        "defend_alone": draw(st.sampled_from(["off", "vs_lone", "any"])),
        "super_euchre": draw(st.booleans()),
        "lone_euchre": draw(st.sampled_from([2, 3, 4])),
        "pack": draw(st.sampled_from([24, 28, 32])),
        "jokers": draw(st.integers(min_value=0, max_value=2)),
    }
    if made["jokers"] == 1:
        made["benny_face"] = draw(st.sampled_from(["joker", "2s"]))
    if made["pack"] == 32:
        made["hand_size"] = draw(st.sampled_from([5, 7]))
    return made


@pytest.mark.parametrize("preset", PRESETS)
def test_both_referees_agree_under_any_options(preset: str) -> None:
    met = {"planted": 0, "alone": 0, "no trump": 0, "both alone": 0}

    @settings(max_examples=80, deadline=None, database=None)
    @given(SEEDS, options(), st.booleans())
    def check(seed: int, changed: dict[str, Any], plant: bool) -> None:
        chance, rules = random.Random(seed), rules_of(preset, **changed)
        truth = deal_out(chance, rules, dealer=seed % 4)
        play_out(chance, truth, rules, plant=plant)
        state = judged(preset, truth, **changed)
        deal = state.deals[0]
        assert list(deal.winners) == truth.winners
        assert deal.played_points == truth.points
        assert deal.complete
        assert deal.sits_out == tuple(sorted(truth.out))
        assert [
            (f.kind, f.seat, f.trick, f.card, f.led, f.proof, f.proven_at_trick)
            for f in state.findings
        ] == [
            ("revoke", r.seat, r.trick, r.card, r.led, r.proof, r.proven_at_trick)
            for r in truth.revokes
        ]
        for revoke in truth.revokes:
            before = judged(preset, truth, up_to=revoke.at, **changed)
            assert [f for f in before.findings if f.kind == "revoke"] == []
            at_once = judged(preset, truth, up_to=revoke.at + 1, **changed)
            assert [f.proof for f in at_once.findings] == [revoke.proof]
        met["planted"] += len(truth.revokes)
        met["alone"] += truth.alone is not None
        met["no trump"] += truth.trump == "n"
        met["both alone"] += len(truth.out) == 2

    check()
    # Two lone hands at once are too rare to be sure of here: tests/engine/test_options plays them.
    assert min(met["planted"], met["alone"], met["no trump"]) > 0, met


@pytest.mark.parametrize("preset", PRESETS)
def test_turn_by_turn_the_same_cards_may_be_played(preset: str) -> None:
    @settings(max_examples=40, deadline=None, database=None)
    @given(SEEDS, options())
    def check(seed: int, changed: dict[str, Any]) -> None:
        chance, rules = random.Random(seed), rules_of(preset, **changed)
        truth = play_out(chance, deal_out(chance, rules, dealer=seed % 4), rules, plant=True)
        hands = [list(hand) for hand in truth.hands]
        laid: list[tuple[int, str]] = []
        for _, seat, card in truth.plays:
            if len(laid) == 4 - len(truth.out):
                laid = []
            led = effective_suit(Card(laid[0][1]), truth.trump) if laid else None
            ours = legal_cards([Card(c) for c in hands[seat]], led, truth.trump)
            assert sorted(ours) == sorted(may_play(hands[seat], laid, truth.trump, rules))
            hands[seat].remove(card)
            laid.append((seat, card))
            cards = [(who, Card(c)) for who, c in laid]
            assert trick_winner(cards, truth.trump) == winner(laid, truth.trump, rules)

    check()


def _our_perft(
    hands: list[list[Card]], leader: Seat, out: tuple[Seat, ...], trump: str, laid: list[Any]
) -> int:
    seat = next_to_play(leader, [who for who, _ in laid], out)
    if seat is None:
        leader, laid = trick_winner(laid, trump), []
        seat = leader
    if not hands[seat]:
        return 1
    led = effective_suit(laid[0][1], trump) if laid else None
    ways = 0
    for card in legal_cards(hands[seat], led, trump):
        hands[seat].remove(card)
        ways += _our_perft(hands, leader, out, trump, [*laid, (seat, card)])
        hands[seat].append(card)
    return ways


#: Hands North to West, leader, who sits out, trump, jokers.
PERFT: list[tuple[list[str], int, set[int], str, int]] = [
    (["Jh Jd Ah", "9c Tc Qc", "Kh Qh 9s", "As Ks Th"], 0, set(), "h", 0),
    (["Jh Jd Ah", "9c Tc Qc", "Kh Qh 9s", "As Ks Th"], 1, set(), "n", 0),
    (["Jh Ad 9d", "Td Qd Jd", "Kh Qh 9s", "As Kd Th"], 3, set(), "h", 0),
    (["Jc Js Ac 9h", "9c Tc Qs Ah", "Ks Qh 9s As", "Kc Th Kd Ad"], 2, {0}, "s", 0),
    (["B Js Ac", "b Tc Qs", "Ks Qh 9s", "Kc Th Kd"], 0, set(), "n", 2),
    (["B Js Ac", "b Tc Qs", "Ks Qh 9s", "Kc Th Kd"], 1, {0, 3}, "c", 2),
]


@pytest.mark.parametrize(("texts", "leader", "out", "trump", "jokers"), PERFT)
def test_fixed_hands_can_be_played_out_in_as_many_ways_as_the_slow_referee_counts(
    texts: list[str], leader: int, out: set[int], trump: str, jokers: int
) -> None:
    rules = rules_of("home", jokers=jokers)
    hands = [text.split() for text in texts]
    slowly = perft(hands, leader=leader, out=out, trump=trump, rules=rules)
    cards = [[Card(card) for card in hand] for hand in hands]
    assert _our_perft(cards, leader, tuple(sorted(out)), trump, []) == slowly
    assert slowly > 1


def test_a_count_done_by_hand() -> None:
    """Two cards each, hearts trump, North leads; each way of it written out.

    North Ah 9c, East Kh 9d, South Qh 9s, West Th Tc. On the ace of hearts all must follow,
    then one card is left to each: 1 way. On the nine of clubs West must follow with the ten
    and East and South may lay either of two: 4 ways, and nothing is left to choose after.
    """
    hands = [["Ah", "9c"], ["Kh", "9d"], ["Qh", "9s"], ["Th", "Tc"]]
    assert perft(hands, leader=0, out=set(), trump="h", rules=rules_of("home")) == 5
    cards = [[Card(card) for card in hand] for hand in hands]
    assert _our_perft(cards, 0, (), "h", []) == 5


def test_a_deal_reads_the_same_where_nobody_saw_what_became_of_the_upcard() -> None:
    for seed in range(60):
        chance, rules = random.Random(seed), rules_of("home")
        truth = play_out(chance, deal_out(chance, rules, dealer=seed % 4), rules, plant=False)
        start = started("home", truth.dealer)
        deal = fold(recorded([start, *facts_of(truth, witness=False)])).deals[0]
        assert list(deal.winners) == truth.winners
        assert deal.played_points == truth.points
        assert deal.findings == ()
