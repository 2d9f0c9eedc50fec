"""Random deals under every option that changes the play, with revokes planted.

The hands are known here, so what is to be found is known: a seat that played off the led suit
with a card of it in its hand revoked, and the earliest later card of the suit proves it. The
suits are worked out in this file, in the plainest way, and not by the engine.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import pytest
from engine_scenes import folded

from engine.cards import Card
from engine.facts import CardPlayed, CardTakenBack, Declared, Fact, FindingRuled, UpcardShown
from engine.ruleset import Ruleset, ruleset_from

RULES: list[dict[str, Any]] = [
    {"preset": "home"},
    {"preset": "pub", "no_trump": "round2"},
    {"preset": "british"},
    {"preset": "british", "benny_face": "2s"},
    {"preset": "canadian", "jokers": 2, "no_trump": "both"},
    {"preset": "tournament", "lone_lead": "left_of_dealer"},
    {"preset": "joker", "jokers": 2, "pack": 28, "no_trump": "round2"},
    {"preset": "thirty_two", "defend_alone": "any"},
    {"preset": "home", "pack": 32, "hand_size": 7, "jokers": 1, "no_trump": "both"},
    {"preset": "home", "defend_alone": "vs_lone", "lone_exchange": "discard_then_best"},
]
OTHER = {"c": "s", "s": "c", "d": "h", "h": "d"}


def plain_pack(rules: Ruleset) -> list[str]:
    ranks = {24: "9TJQKA", 28: "89TJQKA", 32: "789TJQKA"}[rules.pack]
    jokers = ["2s"] if rules.benny_face == "2s" else ["B", "b"][: rules.jokers]
    return [rank + suit for suit in "cdhs" for rank in ranks] + jokers


def plain_suit(card: str, trump: str) -> str:
    if card in ("B", "b", "2s"):
        return "joker" if trump == "n" else trump
    if trump != "n" and card == "J" + OTHER[trump]:
        return trump
    return card[1]


def plain_height(card: str, trump: str, led: str) -> int:
    suit = plain_suit(card, trump)
    if card in ("B", "2s"):
        return 400
    if card == "b":
        return 399
    if suit == trump and card[0] == "J":
        return 300 + (card[1] == trump)
    height = "789TJQKA".index(card[0])
    return 200 + height if suit == trump else 100 + height if suit == led else 0


@dataclass
class Played:
    """A deal as it was played: its facts, the revokes, each with its trick of proof, winners."""

    facts: list[Fact]
    revokes: dict[tuple[int, int], tuple[str, int]]
    winners: list[int]
    said: Declared


def play(chance: random.Random, rules: Ruleset, *, wrong: float, back: float) -> Played:
    """Play a deal; with chance ``wrong`` a card is any card, with ``back`` it is taken back."""
    pack = plain_pack(rules)
    chance.shuffle(pack)
    size = rules.hand_size
    hands = [pack[size * seat : size * seat + size] for seat in range(4)]
    upcard, dealer, maker = pack[4 * size], 3, chance.randrange(4)
    while upcard in ("B", "b", "2s"):
        chance.shuffle(pack)
        hands = [pack[size * seat : size * seat + size] for seat in range(4)]
        upcard = pack[4 * size]
    trump = chance.choice([s for s in "cdhs" if s != upcard[1]])
    if rules.no_trump != "off" and chance.random() < 0.5:
        trump = "n"
    alone = maker if chance.random() < 0.4 else None
    defender = None
    if rules.defend_alone == "any" or (rules.defend_alone == "vs_lone" and alone is not None):
        defender = chance.choice([None, (maker + 1) % 4, (maker + 3) % 4])
    out = {(seat + 2) % 4 for seat in (alone, defender) if seat is not None}
    said = Declared(maker=maker, trump=trump, alone=alone, defender_alone=defender)
    facts: list[Fact] = [UpcardShown(card=Card(upcard), dealer=dealer), said]
    leader = (dealer + 1) % 4
    if rules.lone_lead == "left_of_lone" and alone is not None:
        leader = (alone + 1) % 4
    while leader in out:
        leader = (leader + 1) % 4
    laid: dict[int, list[tuple[int, str]]] = {seat: [] for seat in range(4)}
    broken: list[tuple[int, int, str]] = []
    winners: list[int] = []
    for number in range(1, size + 1):
        led, cards = "", []
        for seat in [(leader + step) % 4 for step in range(4)]:
            if seat in out:
                continue
            hand = hands[seat]
            able = [card for card in hand if plain_suit(card, trump) == led]
            card = chance.choice(hand if not able or chance.random() < wrong else able)
            if chance.random() < back and len(hand) > 1:
                # Another card first, which goes back at once: a correction under any but "never".
                first = chance.choice([other for other in hand if other != card])
                facts.append(CardPlayed(seat=seat, card=Card(first)))
                facts.append(CardTakenBack(target=len(facts) + 1))
            hand.remove(card)
            facts.append(CardPlayed(seat=seat, card=Card(card)))
            laid[seat].append((number, card))
            led = led or plain_suit(card, trump)
            if able and plain_suit(card, trump) != led:
                broken.append((seat, number, led))
            cards.append((seat, card))
        leader = max(cards, key=lambda c: plain_height(c[1], trump, led))[0]
        winners.append(leader)
    revokes = {
        (seat, number): next(
            (card, later)
            for later, card in laid[seat]
            if later > number and plain_suit(card, trump) == led
        )
        for seat, number, led in broken
    }
    return Played(facts=facts, revokes=revokes, winners=winners, said=said)


@pytest.mark.parametrize("rules", RULES, ids=lambda r: "-".join(str(v) for v in r.values()))
def test_every_planted_revoke_is_found_at_its_earliest_proof_and_none_is_false(
    rules: dict[str, Any],
) -> None:
    """Where several revoke, what else may explain it is asked first; then all are accused."""
    chance = random.Random(str(rules))
    ruleset, planted = ruleset_from(rules), 0
    for _ in range(120):
        played = play(chance, ruleset, wrong=0.08, back=0.0)
        state = folded(*played.facts, dealer=3, **rules)
        deal = state.deals[0]
        assert list(deal.winners) == played.winners
        assert deal.complete
        assert deal.claims == ()
        doubts = ("trump_in_doubt", "reading_in_doubt")
        asked = next((f for f in state.findings if f.kind in doubts), None)
        if asked is not None:
            # One mistake explains every card: it is asked about. It was none, and says the table.
            assert all(f.kind != "revoke" for f in state.findings)
            no = FindingRuled(finding=asked.id, ruling="dismiss")
            state = folded(*played.facts, no, dealer=3, **rules)
        found = {
            (f.seat, f.trick): (f.proof, f.proven_at_trick)
            for f in state.findings
            if f.kind == "revoke"
        }
        assert found == played.revokes
        others = {f.kind for f in state.findings} - {"revoke", *doubts}
        assert others <= {"partner_must_go_alone", "alone_not_allowed"}
        planted += len(found)
    assert planted > 20


@pytest.mark.parametrize("rules", RULES, ids=lambda r: "-".join(str(v) for v in r.values()))
def test_a_legal_deal_gives_no_finding_though_cards_were_taken_back_in_time(
    rules: dict[str, Any],
) -> None:
    chance = random.Random(str(rules) + "legal")
    ruleset = ruleset_from(rules)
    for _ in range(60):
        played = play(chance, ruleset, wrong=0.0, back=0.1)
        state = folded(*played.facts, dealer=3, **rules)
        assert state.findings == ()
        assert list(state.deals[0].winners) == played.winners
        assert state.deals[0].points is not None


def test_under_never_a_card_taken_back_counts_as_it_was_laid() -> None:
    """Each off-suit card laid first with a card of the suit in hand is a revoke."""
    rules = {"preset": "home", "revoke_correctable_until": "never"}
    chance, late = random.Random(5), 0
    for _ in range(80):
        played = play(chance, ruleset_from(rules), wrong=0.0, back=0.15)
        state = folded(*played.facts, dealer=3, **rules)
        backs = sum(isinstance(fact, CardTakenBack) for fact in played.facts)
        assert sum(f.kind == "taken_back_late" for f in state.findings) <= backs
        late += sum(f.kind == "revoke" for f in state.findings)
    assert late > 5
