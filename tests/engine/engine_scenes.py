"""Scenes for the engine's tests: facts into records, a table that can be seen and told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from oracle_euchre import Truth

from engine.cards import Card
from engine.commands import Command, Rejected
from engine.decide import decide
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
from engine.intake import Ignored, interpret
from engine.sightings import (
    CardLeft,
    CardReread,
    CardRested,
    CardTurnedDown,
    Place,
    Sighting,
    TableCleared,
)
from engine.state import State, apply, fold

BOX = (0.0, 0.0, 10.0, 14.0)


def recorded(facts: Iterable[Fact], *, step_us: int = 1_000_000) -> tuple[Recorded, ...]:
    """The facts as a log holds them, one second apart."""
    return tuple(
        Recorded(seq=n, game_id="g", version=n, at_us=n * step_us, source="camera", fact=fact)
        for n, fact in enumerate(facts, start=1)
    )


def started(dealer: int | None = 0, **rules: Any) -> GameStarted:
    return GameStarted(
        rules={"preset": "home", **rules},
        names=("North", "East", "South", "West"),
        dealer=dealer,
    )


def folded(*facts: Fact, dealer: int | None = 0, **rules: Any) -> State:
    """The state of a game of these facts under the home rules with ``rules`` changed."""
    return fold(recorded([started(dealer, **rules), *facts]))


def facts_of(
    truth: Truth, *, declare: str = "before", clear: bool = True, up_to: int = 99
) -> list[Fact]:
    """The facts of a deal. ``declare``: before, late (after the last card) or never."""
    said = Declared(maker=truth.maker, trump=truth.trump, alone=truth.alone)
    facts: list[Fact] = [
        UpcardShown(card=Card(truth.upcard), dealer=truth.dealer),
        UpcardTaken() if truth.taken else UpcardTurnedDown(),
    ]
    if declare == "before":
        facts.append(said)
    seats = 3 if truth.alone is not None else 4
    for place, (_, seat, card) in enumerate(truth.plays[:up_to], start=1):
        facts.append(CardPlayed(seat=seat, card=Card(card)))
        if clear and place % seats == 0:
            facts.append(TrickCleared())
    if declare == "late":
        facts.append(said)
    return facts


def trick(*plays: tuple[int, str]) -> list[Fact]:
    """One trick and its clearing."""
    return [
        *(CardPlayed(seat=seat, card=Card(card)) for seat, card in plays),
        TrickCleared(),
    ]


def deal_of(
    *rows: Sequence[str],
    leads: Sequence[int],
    trump: str,
    maker: int,
    upcard: str = "9s",
    dealer: int = 3,
    alone: int | None = None,
) -> list[Fact]:
    """A deal written as rows of cards, the leader's first; ``leads`` says who led each."""
    facts: list[Fact] = [
        UpcardShown(card=Card(upcard), dealer=dealer),
        Declared(maker=maker, trump=trump, alone=alone),
    ]
    out = None if alone is None else (alone + 2) % 4
    for row, lead in zip(rows, leads, strict=True):
        seats = [(lead + step) % 4 for step in range(4)]
        seats = [seat for seat in seats if seat != out]
        facts += trick(*zip(seats, row, strict=True))
    return facts


class Table:
    """A table under test: sightings and commands go in, its state is the fold of what came out.

    ``apply`` keeps the state; that it equals the fold has tests of its own.
    """

    def __init__(self, *, dealer: int | None = 0, **rules: Any) -> None:
        self.records: list[Recorded] = []
        self._state = State()
        self.clock_us = 0
        self.tracks = 0
        self.record([started(dealer, **rules)])

    @classmethod
    def empty(cls) -> Table:
        """A table where no game has begun."""
        made = cls()
        made.records.clear()
        return made

    @property
    def state(self) -> State:
        for record in self.records[self._state.version :]:
            self._state = apply(self._state, record)
        return self._state

    def record(self, facts: Iterable[Fact], at_us: int | None = None) -> None:
        for fact in facts:
            version = len(self.records) + 1
            self.records.append(
                Recorded(
                    seq=version,
                    game_id="g",
                    version=version,
                    at_us=self.clock_us if at_us is None else at_us,
                    source="camera",
                    fact=fact,
                )
            )

    def see(self, sighting: Sighting) -> tuple[Fact, ...] | Ignored:
        out = interpret(self.state, sighting)
        if not isinstance(out, Ignored):
            self.record(out, at_us=sighting.at_us)
        return out

    def tell(self, command: Command) -> tuple[Fact, ...] | Rejected:
        out = decide(self.state, command)
        if not isinstance(out, Rejected):
            self.record(out)
        return out

    def rests(
        self,
        card: str | None,
        seat: int | None = None,
        *,
        middle: bool = False,
        clear: bool = True,
        votes: Sequence[tuple[str, float]] = (),
        track: int | None = None,
        laid_from: int | None = None,
        why: str | None = None,
        after_us: int = 1_000_000,
        at_us: int | None = None,
    ) -> tuple[Fact, ...] | Ignored:
        """A card comes to rest: at a seat, or (``middle``) on the kitty."""
        self.clock_us += after_us
        if track is None:
            self.tracks += 1
            track = self.tracks
        return self.see(
            CardRested(
                at_us=self.clock_us if at_us is None else at_us,
                track=track,
                card=None if card is None else Card(card),
                confidence=0.99 if card is not None else 0.5,
                votes=tuple((Card(c), p) for c, p in votes),
                place=Place(seat=seat, middle=middle, clear=clear and not middle),
                box=BOX,
                laid_from=laid_from,
                why=why,
                evidence=None if card is None else f"picture-{card}",
            )
        )

    def up(self, card: str | None, dealer: int | None = None, **more: Any) -> Any:
        """The up-card is laid on the kitty."""
        return self.rests(card, seat=2, middle=True, laid_from=dealer, **more)

    def leaves(self, track: int) -> tuple[Fact, ...] | Ignored:
        self.clock_us += 500_000
        return self.see(CardLeft(at_us=self.clock_us, track=track))

    def turns_down(self, track: int) -> tuple[Fact, ...] | Ignored:
        self.clock_us += 500_000
        return self.see(CardTurnedDown(at_us=self.clock_us, track=track))

    def reads_again(
        self, track: int, card: str, confidence: float = 0.99
    ) -> tuple[Fact, ...] | Ignored:
        self.clock_us += 300_000
        return self.see(
            CardReread(
                at_us=self.clock_us,
                track=track,
                card=Card(card),
                confidence=confidence,
                votes=((Card(card), confidence),),
            )
        )

    def clears(self) -> tuple[Fact, ...] | Ignored:
        self.clock_us += 500_000
        return self.see(TableCleared(at_us=self.clock_us))

    def plays(self, *cards: tuple[int, str]) -> None:
        """Sure cards, one after another."""
        for seat, card in cards:
            self.rests(card, seat)
