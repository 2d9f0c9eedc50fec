"""Scenes of the other games: deals as facts, a table that can be told and seen."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from slow_games import Played, play_buck, play_call_ace, play_two_hand

from engine.cards import Card, default_names
from engine.commands import Command, Rejected
from engine.decide import decide
from engine.facts import (
    AceCalled,
    Called,
    CardPlayed,
    Declared,
    Dropped,
    Fact,
    GameStarted,
    Recorded,
    Stayed,
    TableCardShown,
    TrickCleared,
    TricksBid,
    UpcardShown,
    UpcardTaken,
    UpcardTurnedDown,
    WidowSwapped,
)
from engine.games import game_for
from engine.intake import Ignored, interpret
from engine.ruleset import ruleset_from
from engine.sightings import CardRested, Place, Sighting, TableCleared
from engine.state import State, apply, fold

PRESETS = ("buck3", "two_hand", "call_ace_5", "call_ace_6")


def recorded(facts: Iterable[Fact], *, step_us: int = 1_000_000) -> tuple[Recorded, ...]:
    """The facts as a log holds them, one second apart."""
    return tuple(
        Recorded(seq=n, game_id="g", version=n, at_us=n * step_us, source="camera", fact=fact)
        for n, fact in enumerate(facts, start=1)
    )


def started(preset: str, dealer: int | None = 0, **rules: Any) -> GameStarted:
    ruleset = ruleset_from({"preset": preset, **rules})
    game = game_for(ruleset)
    return GameStarted(
        rules={"preset": preset, **rules},
        names=default_names(game.seats),
        dealer=dealer,
        initial_score=game.initial_score(ruleset),
    )


def folded(preset: str, *facts: Fact, dealer: int | None = 0, **rules: Any) -> State:
    return fold(recorded([started(preset, dealer, **rules), *facts]))


def play(rng: random.Random, preset: str, *, plant: bool = False) -> Played:
    """A random deal of that game, played by the slow referee."""
    match preset:
        case "buck3":
            return play_buck(rng, plant=plant)
        case "two_hand":
            return play_two_hand(rng, plant=plant)
    return play_call_ace(rng, int(preset[-1]), plant=plant)


def facts_of(preset: str, played: Played, *, declare: bool, clear: bool = True) -> list[Fact]:
    """The deal as the table tells it: in one tap (``declare``) or word by word."""
    facts: list[Fact] = []
    match preset:
        case "buck3":
            facts += [WidowSwapped(seat=seat) for seat in played.swapped]
            if declare:
                facts.append(
                    Declared(
                        maker=played.maker,
                        trump=played.trump,
                        bid=played.bids[-1][1],
                        dropped=tuple(played.dropped),
                    )
                )
            else:
                spoken = dict(played.bids)
                for step in (1, 2, 3):
                    seat = (played.dealer + step) % 3
                    if seat in spoken:
                        facts.append(TricksBid(seat=seat, tricks=spoken[seat]))
                    else:
                        facts.append(Called(seat=seat, call="pass"))
                facts.append(Called(seat=played.maker, call="name", suit=played.trump))
                for seat in range(3):
                    if seat != played.maker:
                        out = seat in played.dropped
                        facts.append(Dropped(seat=seat) if out else Stayed(seat=seat))
        case "two_hand":
            facts += [TableCardShown(seat=s, card=Card(c)) for s, c in played.open_cards]
            facts.append(Declared(maker=played.maker, trump=played.trump))
        case _:
            facts.append(UpcardShown(card=Card(played.upcard), dealer=played.dealer))
            facts.append(UpcardTaken() if played.taken else UpcardTurnedDown())
            alone = played.maker if played.alone else None
            ace = None if played.called is None else Card(played.called)
            facts.append(
                Declared(
                    maker=played.maker,
                    trump=played.trump,
                    alone=alone,
                    ace=ace if declare else None,
                )
            )
            if not declare and ace is not None:
                facts.append(AceCalled(card=ace))
    for position, (trick, seat, card) in enumerate(played.plays):
        facts.append(CardPlayed(seat=seat, card=Card(card)))
        last = position + 1 == len(played.plays) or played.plays[position + 1][0] != trick
        if last:
            if clear:
                facts.append(TrickCleared())
            facts += [
                TableCardShown(seat=s, card=Card(c))
                for after, s, c in played.uncovered
                if after == trick
            ]
    return facts


class Table:
    """A table under test: sightings and commands go in, its state is the fold of what came out."""

    def __init__(self, preset: str, *, dealer: int | None = 0, **rules: Any) -> None:
        self.records: list[Recorded] = []
        self._state = State()
        self.clock_us = 0
        self.tracks = 0
        self.record([started(preset, dealer, **rules)])

    @property
    def state(self) -> State:
        for record in self.records[self._state.version :]:
            self._state = apply(self._state, record)
        return self._state

    def record(self, facts: Iterable[Fact]) -> None:
        for fact in facts:
            version = len(self.records) + 1
            self.records.append(
                Recorded(
                    seq=version,
                    game_id="g",
                    version=version,
                    at_us=self.clock_us,
                    source="camera",
                    fact=fact,
                )
            )

    def tell(self, command: Command) -> tuple[Fact, ...] | Rejected:
        self.clock_us += 1_000_000
        out = decide(self.state, command)
        if not isinstance(out, Rejected):
            self.record(out)
        return out

    def see(self, sighting: Sighting) -> tuple[Fact, ...] | Ignored:
        out = interpret(self.state, sighting)
        if not isinstance(out, Ignored):
            self.record(out)
        return out

    def rests(
        self,
        card: str | None,
        direction: int | None = None,
        *,
        middle: bool = False,
        laid_from: int | None = None,
        votes: tuple[tuple[str, float], ...] = (),
    ) -> tuple[Fact, ...] | Ignored:
        """A card comes to rest in a direction of the table, or in its middle."""
        self.clock_us += 1_000_000
        self.tracks += 1
        return self.see(
            CardRested(
                at_us=self.clock_us,
                track=self.tracks,
                card=None if card is None else Card(card),
                confidence=0.99,
                votes=tuple((Card(c), p) for c, p in votes),
                place=Place(seat=direction, middle=middle, clear=not middle),
                box=(0.0, 0.0, 10.0, 14.0),
                laid_from=laid_from,
            )
        )

    def clears(self) -> tuple[Fact, ...] | Ignored:
        self.clock_us += 500_000
        return self.see(TableCleared(at_us=self.clock_us))
