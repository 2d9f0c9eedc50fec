"""Facts in any order, sense or none, from an import or a confused evening: nothing stumbles.

The log takes every fact, so everything that reads a log must bear every sequence of them.
"""

from __future__ import annotations

import random

import pytest

from engine import facts
from engine.cards import ALL_CARDS, Card
from engine.facts import Fact, Recorded
from engine.notation.egn import read_egn, write_egn
from engine.notation.excerpt import deal_records
from engine.notation.jsonl import read_jsonl, write_jsonl
from engine.replay import Cursor, lines
from engine.score import score_json
from engine.sheet import deal_lines, game_lines
from engine.state import State, apply, fold
from engine.view import snapshot

PACK = [card for card in ALL_CARDS if card[0] in "9TJQKA" or len(card) == 1]


def any_fact(chance: random.Random, versions: int) -> Fact:
    """A fact of any kind; half of them plays. It may point at any version, past or future."""
    seat = chance.randrange(4)
    seat_or_none = chance.choice([None, 0, 1, 2, 3])
    card: Card = chance.choice(PACK if chance.random() < 0.97 else ALL_CARDS)
    track = chance.choice([None, 1, 2, 3, 4])
    version = chance.randrange(1, versions + 3)
    lone = [None, None, None, 0, 1, 2, 3]
    weights = [40, 8, 5, 2, 2, 6, 4, 2, 2, 2, 5, 4, 6, 3, 1, 2, 1, 3, 2, 1, 3, 2, 2, 1]
    match chance.choices(range(24), weights)[0]:
        case 0:
            return facts.CardPlayed(seat=seat, card=card, track=track)
        case 1:
            return facts.TrickCleared()
        case 2:
            return facts.UpcardShown(card=card, dealer=seat_or_none, track=track)
        case 3:
            return facts.UpcardTaken()
        case 4:
            return facts.UpcardTurnedDown()
        case 5:
            call = chance.choice(["pass", "pass", "order_up", "pick_up", "name"])
            suit = chance.choice([None, "c", "h", "n"])
            alone = chance.random() < 0.2
            return facts.Called(seat=seat, call=call, suit=suit, alone=alone)
        case 6:
            return facts.Declared(
                maker=seat,
                trump=chance.choice("cdhsn"),
                alone=chance.choice(lone),
                defender_alone=chance.choice([*lone, None, None]),
                deal=chance.choice([None, 1, 2, 3]),
            )
        case 7:
            return facts.Discarded(seat=seat, card=chance.choice([None, card]))
        case 8:
            return facts.DealThrownIn(reason=chance.choice(["passed_out", "misdeal", "redeal"]))
        case 9:
            return facts.DealConfirmed(deal=chance.randrange(1, 4))
        case 10:
            return facts.ReviewRaised(
                subject=chance.choice(["play", "play", "upcard", "draw"]),
                seat=seat_or_none,
                candidates=chance.choice([(), ((card, 0.5),)]),
                reason=chance.choice(["unsure", "duplicate", "seat", "missed", "changed"]),
                track=track,
            )
        case 11:
            answer = chance.choice([None, card])
            return facts.ReviewAnswered(review=version, card=answer, seat=seat_or_none)
        case 12:
            new = plain_fact(chance, versions) if chance.random() < 0.6 else None
            return facts.Corrected(target=version, replacement=new, reason="x")
        case 16:
            return facts.CardLifted(track=chance.choice([1, 2, 3, 4]))
        case 17:
            return facts.CardTakenBack(target=version)
        case 18:
            cards = tuple(chance.sample(PACK, chance.randrange(1, 4)))
            return facts.HandShown(seat=seat, cards=cards, deal=chance.choice([None, 1, 2]))
        case 19:
            return facts.CardPassed(seat=seat, kept=chance.random() < 0.5)
        case 20:
            offences = ["revoke", "six_cards", "no_discard", "too_few_cards"]
            return facts.Claimed(
                seat=seat,
                offence=chance.choice(offences),
                trick=chance.choice([None, 1, 2]),
                deal=chance.choice([None, 1, 2]),
            )
        case 13:
            finding = chance.choice(
                [
                    "1:revoke:0:1",
                    "2:revoke:1:2",
                    "1:six_cards:0:-",
                    "1:too_few_cards:1:-",
                    "1:deal_abandoned:-:-",
                    "1:claim_unresolved:2:1",
                    "1:revoke_claim:1:-",
                    "1:joker_turned_up:-:-",
                    "nonsense",
                ]
            )
            return facts.FindingRuled(finding=finding, ruling=chance.choice(["uphold", "dismiss"]))
        case 21:
            new = plain_fact(chance, versions)
            return facts.Inserted(before=version, fact=new, reason="x")
        case 22:
            before = chance.randrange(1, versions + 3)
            return facts.Moved(target=version, before=before, reason="x")
        case 23:
            parts = [any_fact(chance, versions) for _ in range(40)]
            kinds = facts.Corrected | facts.Inserted | facts.Moved
            some = tuple(part for part in parts if isinstance(part, kinds))[:4]
            gone = facts.Corrected(target=version, replacement=None, reason="x")
            return facts.Amended(changes=some or (gone,), reason="x")
        case 14:
            return facts.ScoreAdjusted(points=(chance.randrange(-2, 3), 1), reason="x")
        case _:
            return chance.choice(
                [
                    facts.DealerNamed(dealer=seat),
                    facts.DrawBegun(),
                    facts.CardDrawn(seat=seat, card=card, track=track),
                    facts.CardDrawn(seat=seat, card=Card("Jc"), track=track),
                    facts.PackShuffled(seat=seat, passes=3),
                    facts.DealKept(makers=seat % 2, tricks=chance.randrange(7)),
                    facts.GamePaused(reason="x"),
                    facts.GameResumed(),
                    facts.GameConfirmed(seat=seat, score=(10, 4)),
                    facts.GameEnded(reason="x"),
                ]
            )


def plain_fact(chance: random.Random, versions: int) -> Fact:
    """One that mends no other."""
    mending = facts.Corrected | facts.Inserted | facts.Moved | facts.Amended
    while isinstance(fact := any_fact(chance, versions), mending):
        pass
    return fact


def any_game(chance: random.Random) -> tuple[Recorded, ...]:
    rules = {
        "preset": chance.choice(
            ["home", "pub", "tournament", "canadian", "thirty_two", "british", "joker"]
        ),
        "defend_alone": "any",
        "no_trump": "round2",
        "revoke_mode": chance.choice(["award", "deduct", "loss_of_trick"]),
        "revoke_correctable_until": chance.choice(["never", "trick_complete", "next_lead"]),
        "natural_trump_required": chance.choice(["none", "dealer_pickup", "any_caller"]),
        "lone_exchange": chance.choice(["none", "discard_then_best"]),
        "six_cards": chance.choice(["offender_side", "makers"]),
        "joker_upcard": chance.choice(["dealer_names_blind", "redeal", "h"]),
        "first_dealer": chance.choice(["black_jack", "highest_card"]),
    }
    told: list[Fact] = [
        facts.GameStarted(
            rules=rules, names=("Ann", "Bob", "Cy", "Di"), dealer=chance.choice([None, 0, 3])
        )
    ]
    told.extend(any_fact(chance, len(told)) for _ in range(chance.randrange(1, 70)))
    apart_us = chance.choice([0, 1, 1_000_000])
    return tuple(
        Recorded(seq=v, game_id="g", version=v, at_us=v * apart_us, source="x", fact=fact)
        for v, fact in enumerate(told, start=1)
    )


@pytest.mark.parametrize("seed", range(25))
def test_whatever_is_in_the_log_can_be_read_scored_told_and_written(seed: int) -> None:
    records = any_game(random.Random(seed))
    state = fold(records)
    one_by_one = State()
    for recorded in records:
        one_by_one = apply(one_by_one, recorded)
    assert one_by_one == state
    assert snapshot(state, records)["version"] == len(records)
    for rulings in ("as_played", "automatic", "recorded"):
        sheet = score_json(records, rulings=rulings)
        assert len(sheet["deals"]) == len(state.deals)
    # The sheet adds nothing to the state's score but what it says of unfinished tricks.
    sheet = score_json(records, rulings="recorded")
    beyond = [
        told["points"]
        for told, deal in zip(sheet["deals"], state.deals, strict=True)
        if deal.points is None and told["points"] is not None
    ]
    for side in (0, 1):
        assert sheet["score"][side] == state.score[side] + sum(p[side] for p in beyond)
    cursor = Cursor(records)
    assert cursor.truth(cursor.last) == state
    middle = len(records) // 2
    assert cursor.snapshot(middle, view="truth")["version"] == middle
    numbered = [line for line in lines(records) if line[:4].strip().isdigit()]
    assert len(numbered) == len(records)
    (again,) = read_jsonl(write_jsonl(records)).games
    assert again.records("g") == records
    assert len(read_egn(write_egn(records).text).games) == 1
    assert game_lines(records)
    for number in range(1, len(state.deals) + 1):
        assert deal_lines(records, deal=number)
        alone = deal_records(records, number)
        assert read_jsonl(write_jsonl(alone)).faults == ()
