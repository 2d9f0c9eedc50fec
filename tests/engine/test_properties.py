"""What must hold for every deal, tried on random ones against the oracle that sees the hands."""

from __future__ import annotations

import random
from dataclasses import replace

from engine_scenes import facts_of, folded, recorded, started
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_euchre import Truth, deal_out

from engine.cards import Card
from engine.facts import (
    CardPlayed,
    Corrected,
    Declared,
    Fact,
    UpcardShown,
)
from engine.state import apply, fold

SEEDS = st.integers(min_value=0, max_value=2**32 - 1)
SEATS = st.integers(min_value=0, max_value=3)
MANY = settings(max_examples=150, deadline=None)
FEW = settings(max_examples=60, deadline=None)


def _agrees(truth: Truth, facts: list[Fact], **rules: object) -> None:
    deal = folded(*facts, dealer=truth.dealer, **rules).deals[0]
    assert list(deal.winners) == truth.winners
    assert deal.tricks_won == truth.tricks
    assert deal.played_points == truth.points
    assert deal.findings == ()
    assert deal.reviews == ()
    assert deal.complete
    assert deal.phase == "scored"


@MANY
@given(seed=SEEDS, dealer=SEATS)
def test_a_legal_deal_scores_as_the_oracle_says_and_yields_no_finding(
    seed: int, dealer: int
) -> None:
    truth = deal_out(random.Random(seed), dealer=dealer)
    _agrees(truth, facts_of(truth))


@FEW
@given(seed=SEEDS, dealer=SEATS)
def test_a_deal_reads_the_same_when_trump_is_declared_after_the_last_card(
    seed: int, dealer: int
) -> None:
    truth = deal_out(random.Random(seed), dealer=dealer)
    _agrees(truth, facts_of(truth, declare="late"))


@FEW
@given(seed=SEEDS, dealer=SEATS)
def test_a_deal_reads_the_same_when_no_sweep_was_seen(seed: int, dealer: int) -> None:
    truth = deal_out(random.Random(seed), dealer=dealer)
    _agrees(truth, facts_of(truth, clear=False))


@FEW
@given(seed=SEEDS, dealer=SEATS)
def test_a_lone_hand_may_be_led_to_from_the_dealers_left(seed: int, dealer: int) -> None:
    truth = deal_out(
        random.Random(seed), dealer=dealer, alone_share=1.0, lone_lead="left_of_dealer"
    )
    _agrees(truth, facts_of(truth), lone_lead="left_of_dealer")


@MANY
@given(seed=SEEDS, dealer=SEATS)
def test_a_planted_revoke_is_found_at_the_first_card_that_proves_it(seed: int, dealer: int) -> None:
    truth = deal_out(random.Random(seed), dealer=dealer, revoke_once=True)
    facts = facts_of(truth)
    deal = folded(*facts, dealer=dealer).deals[0]
    found = [f for f in deal.findings if f.kind == "revoke"]
    expected = []
    for seat, trick, card, led in truth.revokes:
        proof, proven_at = truth.proof_of(seat, trick, led)
        expected.append((seat, trick, card, led, proof, proven_at))
    assert [(f.seat, f.trick, f.card, f.led, f.proof, f.proven_at_trick) for f in found] == expected
    assert [f for f in deal.findings if f.kind != "revoke"] == []
    # Before the proof falls nobody is accused; with it, at once.
    for *_, proof, proven_at in expected:
        laid = [card for _, _, card in truth.plays].index(proof)
        before = folded(*facts_of(truth, up_to=laid), dealer=dealer).deals[0]
        assert [f for f in before.findings if f.kind == "revoke"] == []
        upto = folded(*facts_of(truth, up_to=laid + 1), dealer=dealer).deals[0]
        assert [f.proven_at_trick for f in upto.findings if f.kind == "revoke"] == [proven_at]


def _turned(truth: Truth, by: int) -> Truth:
    """The same deal with every seat moved ``by`` places clockwise."""
    turn = [(seat + by) % 4 for seat in range(4)]
    return replace(
        truth,
        dealer=turn[truth.dealer],
        maker=turn[truth.maker],
        alone=None if truth.alone is None else turn[truth.alone],
        plays=[(n, turn[seat], card) for n, seat, card in truth.plays],
        winners=[turn[seat] for seat in truth.winners],
        revokes=[(turn[s], n, card, led) for s, n, card, led in truth.revokes],
    )


@FEW
@given(seed=SEEDS, dealer=SEATS, by=SEATS)
def test_turning_the_table_turns_the_result(seed: int, dealer: int, by: int) -> None:
    truth = deal_out(random.Random(seed), dealer=dealer, revoke_once=True)
    turned = _turned(truth, by)
    first = folded(*facts_of(truth), dealer=truth.dealer).deals[0]
    second = folded(*facts_of(turned), dealer=turned.dealer).deals[0]
    assert [(seat or 0) + by & 3 for seat in first.winners] == list(second.winners)
    assert first.played_points is not None
    assert second.played_points == tuple(
        first.played_points if by % 2 == 0 else reversed(first.played_points)
    )
    assert [((f.seat or 0) + by & 3, f.trick, f.card, f.proof) for f in first.findings] == [
        (f.seat, f.trick, f.card, f.proof) for f in second.findings
    ]


#: The renamings of suits that keep colours together: the only ones that keep the game.
RENAMINGS = ["cdhs", "sdhc", "chds", "shdc", "dcsh", "dsch", "hcsd", "hscd"]


@FEW
@given(seed=SEEDS, dealer=SEATS, names=st.sampled_from(RENAMINGS))
def test_renaming_the_suits_changes_nothing_else(seed: int, dealer: int, names: str) -> None:
    new = dict(zip("cdhs", names, strict=True))
    truth = deal_out(random.Random(seed), dealer=dealer, revoke_once=True)
    renamed = replace(
        truth,
        trump=new[truth.trump],
        upcard=truth.upcard[0] + new[truth.upcard[1]],
        plays=[(n, seat, card[0] + new[card[1]]) for n, seat, card in truth.plays],
    )
    first = folded(*facts_of(truth), dealer=dealer).deals[0]
    second = folded(*facts_of(renamed), dealer=dealer).deals[0]
    assert first.winners == second.winners
    assert first.points == second.points
    assert [(f.id, f.kind, f.proven_at_trick) for f in first.findings] == [
        (f.id, f.kind, f.proven_at_trick) for f in second.findings
    ]


@FEW
@given(seed=SEEDS, dealer=SEATS, data=st.data())
def test_correcting_a_card_to_itself_changes_nothing(
    seed: int, dealer: int, data: st.DataObject
) -> None:
    truth = deal_out(random.Random(seed), dealer=dealer, revoke_once=True)
    facts = [started(dealer), *facts_of(truth)]
    targets = [n for n, f in enumerate(facts, start=1) if isinstance(f, CardPlayed | UpcardShown)]
    target = data.draw(st.sampled_from(targets))
    before = fold(recorded(facts))
    same = Corrected(target=target, replacement=facts[target - 1], reason="looked again")
    after = fold(recorded([*facts, same]))
    assert after.deals == before.deals
    assert after.score == before.score
    assert after.version == before.version + 1


@FEW
@given(seed=SEEDS, dealer=SEATS, data=st.data())
def test_a_card_misread_and_then_corrected_is_as_if_it_had_been_read_rightly(
    seed: int, dealer: int, data: st.DataObject
) -> None:
    truth = deal_out(random.Random(seed), dealer=dealer)
    facts = [started(dealer), *facts_of(truth)]
    targets = [n for n, f in enumerate(facts, start=1) if isinstance(f, CardPlayed)]
    target = data.draw(st.sampled_from(targets))
    right = facts[target - 1]
    assert isinstance(right, CardPlayed)
    wrong = list(facts)
    wrong[target - 1] = replace(right, card=data.draw(st.sampled_from([Card("9c"), Card("Jh")])))
    mended = [*wrong, Corrected(target=target, replacement=right, reason="misread")]
    assert fold(recorded(mended)).deals == fold(recorded(facts)).deals


@FEW
@given(seed=SEEDS)
def test_adding_facts_one_by_one_equals_folding_them_all(seed: int) -> None:
    rng = random.Random(seed)
    facts: list[Fact] = [started(0)]
    for dealer in range(2):
        facts += facts_of(
            deal_out(rng, dealer=dealer, revoke_once=True),
            declare=rng.choice(["before", "late", "never"]),
        )
    facts.append(Declared(maker=1, trump="s", deal=1))
    facts.append(Corrected(target=6, replacement=None, reason="struck"))
    records = recorded(facts)
    state = fold(records[:1])
    for end, record in enumerate(records[1:], start=2):
        state = apply(state, record)
        assert state == fold(records[:end])
