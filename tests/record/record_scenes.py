"""Scenes for the record's tests: whole games of legal deals, and commands told to them."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from oracle_euchre import deal_out

from engine import facts as f
from engine.cards import Card
from engine.commands import Command, Rejected
from engine.decide import decide
from engine.state import State, fold

SEEDS = st.integers(0, 2**32 - 1)
SOME = settings(max_examples=15, deadline=None, database=None)
NAMES = ("Ann", "Bob", "Cy", "Di")


def deal_facts(rng: random.Random, number: int, dealer: int, **options: Any) -> list[f.Fact]:
    """One legal deal, with the facts that name it by its number."""
    truth = deal_out(rng, dealer=dealer, **options)
    told: list[f.Fact] = [
        f.UpcardShown(card=Card(truth.upcard), dealer=dealer),
        f.UpcardTaken() if truth.taken else f.UpcardTurnedDown(),
    ]
    in_play = 3 if truth.alone is not None else 4
    for place, (_, seat, card) in enumerate(truth.plays, start=1):
        told.append(f.CardPlayed(seat=seat, card=Card(card)))
        if place % in_play == 0:
            told.append(f.TrickCleared())
    said = f.Declared(maker=truth.maker, trump=truth.trump, alone=truth.alone, deal=number)
    return [*told[:2], said, *told[2:], f.DealConfirmed(deal=number)]


def game(rng: random.Random, deals: int = 3, **options: Any) -> list[f.Fact]:
    told: list[f.Fact] = [
        f.GameStarted(rules={"preset": "home", "target": 50}, names=NAMES, dealer=0)
    ]
    for number in range(1, deals + 1):
        told.extend(deal_facts(rng, number, (number - 1) % 4, **options))
    return told


def recorded(told: list[f.Fact]) -> tuple[f.Recorded, ...]:
    return tuple(
        f.Recorded(seq=v, game_id="g", version=v, at_us=v * 1_000_000, source="camera", fact=fact)
        for v, fact in enumerate(told, start=1)
    )


def tell(records: tuple[f.Recorded, ...], *commands: Command) -> tuple[f.Recorded, ...]:
    """The records after these commands, an hour later; each must be accepted."""
    for command in commands:
        decided = decide(fold(records), command)
        assert not isinstance(decided, Rejected), decided
        for fact in decided:
            version = len(records) + 1
            records += (
                f.Recorded(
                    seq=version,
                    game_id="g",
                    version=version,
                    at_us=3_600_000_000 + version,
                    source="director",
                    fact=fact,
                ),
            )
    return records


def refused(records: tuple[f.Recorded, ...], command: Command) -> Rejected:
    decided = decide(fold(records), command)
    assert isinstance(decided, Rejected), decided
    return decided


def seen(state: State) -> Any:
    """What a game comes to, without the versions and moments of its facts."""
    return (
        state.score,
        state.scores,
        state.over,
        [
            (
                deal.dealer,
                deal.upcard and (deal.upcard.card, deal.upcard.state),
                (deal.maker, deal.trump, deal.alone, deal.confirmed),
                [[(p.seat, p.card) for p in (*t.plays, *t.extra)] for t in deal.tricks],
                (deal.winners, deal.points, deal.result),
                [(finding.id, finding.text, finding.status) for finding in deal.findings],
            )
            for deal in state.deals
        ],
    )
