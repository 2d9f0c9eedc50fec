"""Facts in any order, sense or none, in the other games: whatever reads a log bears them all."""

from __future__ import annotations

import json
import random

import pytest
from games_scenes import PRESETS, recorded, started

from engine import facts as f
from engine.cards import Card
from engine.games import game_for
from engine.notation.jsonl import read_jsonl, write_jsonl
from engine.replay import Cursor, lines
from engine.ruleset import preset
from engine.score import score_json
from engine.sheet import deal_lines, summary
from engine.state import State, apply, fold
from engine.view import snapshot

CARDS = [Card(rank + suit) for rank in "9TJQKA" for suit in "cdhs"] + [Card("7h"), Card("2s")]


def any_fact(rng: random.Random, seats: int, versions: int) -> f.Fact:
    seat, card = rng.randrange(seats), rng.choice(CARDS)
    maybe, track = rng.choice([None, *range(seats)]), rng.choice([None, 1, 2, 3])
    version = rng.randrange(1, versions + 3)
    trump = rng.choice("cdhsn")
    made: list[f.Fact] = [
        *[f.CardPlayed(seat=seat, card=card, track=track)] * 14,
        *[f.TrickCleared()] * 3,
        *[f.TableCardShown(seat=seat, card=card, track=track)] * 3,
        f.Declared(
            maker=seat,
            trump=trump,
            alone=rng.choice([None, None, seat, maybe]),
            bid=rng.choice([None, 1, 3, 5]),
            dropped=tuple(s for s in range(seats) if rng.random() < 0.2),
            ace=rng.choice([None, Card("Ac"), card]),
            deal=rng.choice([None, 1, 2]),
        ),
        f.TricksBid(seat=seat, tricks=rng.randrange(1, 7)),
        f.Called(seat=seat, call=rng.choice(["pass", "name", "order_up"]), suit=trump),
        f.WidowSwapped(seat=seat),
        f.Stayed(seat=seat),
        f.Dropped(seat=seat),
        f.AceCalled(card=card),
        f.UpcardShown(card=card, dealer=maybe, track=track),
        f.UpcardTaken(),
        f.UpcardTurnedDown(),
        f.Discarded(seat=seat, card=card),
        f.DealThrownIn(reason="passed_out"),
        f.DealConfirmed(deal=1),
        f.HandShown(seat=seat, cards=(card,)),
        f.Claimed(seat=seat, offence="revoke", trick=rng.choice([None, 1, 2])),
        f.CardTakenBack(target=version),
        f.ReviewRaised(
            subject=rng.choice(["play", "table", "upcard"]),
            seat=maybe,
            candidates=((card, 0.5),),
            reason=rng.choice(["unsure", "missed", "seat", "changed"]),
            track=track,
        ),
        f.ReviewAnswered(review=version, card=rng.choice([None, card]), seat=maybe),
        f.Corrected(
            target=version,
            replacement=rng.choice([None, f.CardPlayed(seat=seat, card=card)]),
            reason="x",
        ),
        f.FindingRuled(finding=rng.choice(["1:revoke:0:1", "1:revoke:1:2"]), ruling="uphold"),
        f.DealerNamed(dealer=seat),
    ]
    return rng.choice(made)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_in_the_log_can_be_read_scored_told_and_written(name: str, seed: int) -> None:
    rng = random.Random(f"{name} {seed}")
    seats = game_for(preset(name)).seats
    told: list[f.Fact] = [started(name, rng.choice([None, 0]))]
    # A seat too many now and then: a log bears a fact of a seat that its game has not.
    told += [
        any_fact(rng, min(6, seats + (rng.random() < 0.05)), len(told))
        for _ in range(rng.randrange(5, 70))
    ]
    records = recorded(told)
    state, whole = State(), fold(records)
    for record in records:
        state = apply(state, record)
    assert state == whole
    json.dumps(snapshot(whole, records))
    assert list(lines(records))
    json.dumps(score_json(records))
    json.dumps(score_json(records, rulings="automatic"))
    json.dumps(summary(records))
    for deal in whole.deals:
        assert deal_lines(records, deal=deal.number)
        assert deal.points is None or len(deal.points) == seats
    cursor = Cursor(records)
    json.dumps(cursor.snapshot(cursor.last // 2, view="truth"))
    (game,) = read_jsonl(write_jsonl(records)).games
    assert tuple(entry.fact for entry in game.entries) == tuple(record.fact for record in records)


@pytest.mark.parametrize("instead", [None, f.CardPlayed(seat=0, card=Card("9h"))], ids=str)
def test_rules_that_a_file_takes_back_stay_as_they_were_agreed(instead: f.Fact | None) -> None:
    """No tap can do it; a file from elsewhere may say it, and points of three scores with it."""
    struck = f.Corrected(target=1, replacement=instead, reason="x")
    adjusted = f.ScoreAdjusted(points=(1, 2, 3), reason="x")
    state = fold(recorded([started("buck3"), struck, adjusted]))
    assert state.ruleset == preset("buck3")
    assert state.score == (16, 17, 18)


def test_points_for_as_many_scores_as_the_game_has_not_change_nothing() -> None:
    adjusted = f.ScoreAdjusted(points=(1, 2), reason="x")
    assert fold(recorded([started("buck3"), adjusted])).score == (15, 15, 15)
