"""Deals of the slow referee told to the engine as facts, and what the engine made of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from slow_referee import Truth

from engine.cards import SEAT_NAMES, Card
from engine.facts import (
    CardPlayed,
    Declared,
    Fact,
    GameStarted,
    Recorded,
    TrickCleared,
    UpcardShown,
    UpcardTaken,
    UpcardTurnedDown,
)
from engine.state import State, fold


def recorded(facts: Iterable[Fact]) -> list[Recorded]:
    """The facts as a log holds them, a second apart."""
    return [
        Recorded(seq=n, game_id="g", version=n, at_us=n * 1_000_000, source="camera", fact=fact)
        for n, fact in enumerate(facts, start=1)
    ]


def started(preset: str, dealer: int, **options: Any) -> GameStarted:
    return GameStarted(rules={"preset": preset, **options}, names=SEAT_NAMES, dealer=dealer)


def facts_of(truth: Truth, *, up_to: int | None = None, witness: bool = True) -> list[Fact]:
    """What the table saw of the deal; ``up_to``: only so many plays.

    ``witness`` False: nobody saw what became of the up-card, and the declaration tells it.
    """
    facts: list[Fact] = [UpcardShown(card=Card(truth.upcard), dealer=truth.dealer)]
    if witness:
        facts.append(UpcardTaken() if truth.taken else UpcardTurnedDown())
    facts.append(
        Declared(
            maker=truth.maker,
            trump=truth.trump,
            alone=truth.alone,
            defender_alone=truth.defender,
        )
    )
    seats = 4 - len(truth.out)
    for place, (_, seat, card) in enumerate(truth.plays[:up_to], start=1):
        facts.append(CardPlayed(seat=seat, card=Card(card)))
        if place % seats == 0:
            facts.append(TrickCleared())
    return facts


def judged(preset: str, truth: Truth, *, up_to: int | None = None, **options: Any) -> State:
    """The engine's state of a game of this one deal."""
    start = started(preset, truth.dealer, **options)
    return fold(recorded([start, *facts_of(truth, up_to=up_to)]))
