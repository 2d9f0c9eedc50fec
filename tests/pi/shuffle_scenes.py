"""Scenes for the fittings' tests: a table, its fittings on mock pins, a shuffler behind them.

Time is handed in: ``scene.run(seconds)`` lets so much of it pass, fifty milliseconds at a time.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, get_args

from engine.cards import SEAT_NAMES
from engine.commands import (
    Command,
    ConfirmDeal,
    Declare,
    PlayCard,
    Rejected,
    ReportShuffle,
    ShowUpcard,
    StartGame,
    TakeUpcard,
    TurnDownUpcard,
)
from engine.facts import PackShuffled
from engine.memory_log import MemoryLog
from engine.table import Accepted, Table
from engine.wording import Names, Sentence, english
from pi.fitting import Wired, open_fittings
from pi.looks import Looks
from pi.settings import KitSettings, SensorKind, ShufflerSettings
from pi.sim.bench import Bench
from pi.sim.dials import Dials
from pi.sim.machine import Faults, Machine
from pi.sim.script import Deal, Terms, play_deal
from pi.tending import Tending

ALL: tuple[SensorKind, ...] = get_args(SensorKind)
STEP_US = 50_000


def told(said: Sentence | None, names: Names = SEAT_NAMES) -> str:
    """What was said, in English; nothing where nothing was."""
    return "" if said is None else english(said, names)


class Scene:
    """A table whose next dealer is ``dealer``, with the kit's fittings and a shuffler."""

    def __init__(
        self,
        *,
        faults: Faults | None = None,
        sensors: tuple[SensorKind, ...] = ALL,
        passes: int = 1,
        dealer: int | None = 1,
        second_pack: bool = False,
        fitted: bool = True,
        log: Any = None,
        rules: Any = "home",
        start_us: int = 0,
    ) -> None:
        self.now_us = start_us
        self.warned: list[str] = []
        self.machine = Machine(faults=faults)
        self.bench = Bench(machine=self.machine, sensors=sensors)
        self.bench.now_us = start_us
        self.log = MemoryLog()
        self.table = Table(self.log, clock_us=lambda: self.now_us)
        self.closing = ExitStack()
        self.looks = Looks(game=lambda: self.table.state)
        if dealer is not None:
            self.do(StartGame(dealer=dealer, rules=rules))
        self.settings = KitSettings(
            passes=passes,
            log=log,
            shuffler=ShufflerSettings(second_pack=second_pack, fitted=fitted),
        )
        self.wired = Wired(
            factory=self.bench.factory,
            now_us=lambda: self.bench.now_us,
            sensors=sensors,
            own_clock=False,
        )
        self.open()

    def open(self) -> None:
        """The kit is switched on."""
        fittings = open_fittings(
            self.wired,
            self.settings,
            game=lambda: self.table.state,
            report=self._report,
            closing=self.closing,
        )
        if fittings.shuffling is not None:
            self.shuffling = fittings.shuffling
        self.tending = Tending(
            fittings,
            table=self.table,
            do=lambda command, source: self.table.submit(command, source=source),
            warn=lambda said: self.warned.append(told(said, self.table.state.names)),
            looks=self.looks,
        )
        self.closing.callback(self.looks.subscribe(self.tending.look))
        self.closing.callback(self.table.subscribe(lambda news: self.tending.changed()))

    def restart(self) -> None:
        """The kit is switched off in the middle, and on again."""
        self.close()
        self.wired = Wired(
            factory=self.bench.factory,
            now_us=lambda: self.bench.now_us,
            sensors=self.wired.sensors,
            own_clock=False,
        )
        self.closing = ExitStack()
        self.open()

    def close(self) -> None:
        self.closing.close()

    def _report(self, report: ReportShuffle) -> Sentence | None:
        answer = self.table.submit(report, source="shuffler")
        return answer.said if isinstance(answer, Rejected) else None

    # --- acting --------------------------------------------------------------------------------

    def do(self, command: Command) -> Accepted:
        answer = self.table.submit(command, source="page")
        assert isinstance(answer, Accepted), answer
        return answer

    def run(self, seconds: float) -> None:
        """Let time pass."""
        end_us = self.now_us + round(seconds * 1e6)
        while self.now_us < end_us:
            self.now_us += STEP_US
            self.bench.advance(self.now_us)
            self.tending.tick(self.now_us)

    def press(self, seat: int) -> None:
        """A short press, and the moment until it is certain."""
        self.bench.press(seat, at_us=self.now_us)
        self.run(0.8)

    def press_twice(self, seat: int) -> None:
        self.bench.press_twice(seat, at_us=self.now_us)
        self.run(1.0)

    def press_long(self, seat: int) -> None:
        self.bench.press_long(seat, at_us=self.now_us)
        self.run(1.6)

    def load(self) -> None:
        self.machine.load(24)
        self.run(0.1)

    def stack(self) -> None:
        """The piles are taken up and put into the tray again."""
        self.machine.take_piles()
        self.run(1.0)
        self.load()

    # --- looking -------------------------------------------------------------------------------

    @property
    def phase(self) -> str:
        return self.shuffling.work.phase

    @property
    def text(self) -> str:
        text = self.shuffling.state()["text"]
        assert isinstance(text, str)
        return text

    @property
    def shuffles(self) -> list[tuple[int, int, bool]]:
        """What is recorded: seat, passes, by machine."""
        return [
            (r.fact.seat, r.fact.passes, r.fact.machine)
            for r in self.table.records
            if isinstance(r.fact, PackShuffled)
        ]

    @property
    def touch_is_on(self) -> bool:
        return bool(self.bench.factory.pin(self.settings.pins.touch).state)


def a_deal(*, dealer: int = 1, seed: int = 3, passed_out: bool = False) -> Deal:
    """A deal that somebody made (or nobody), the same every time."""
    for number in range(200):
        deal = play_deal(
            number=1,
            dealer=dealer,
            terms=Terms(),
            dials=Dials(),
            courage=(0.0,) * 4,
            rng=random.Random(seed * 1000 + number),
        )
        if (deal.maker is None) == passed_out and deal.alone is None:
            return deal
    raise AssertionError("no such deal")


def play(
    scene: Scene, *, cards: int = 20, dealer: int = 1, mark: bool = False, declared: bool = True
) -> Deal:
    """A deal is played, up to so many cards; ``mark``: its points are marked."""
    deal = a_deal(dealer=dealer)
    assert deal.maker is not None
    assert deal.trump is not None
    scene.do(ShowUpcard(card=deal.upcard, dealer=dealer))
    scene.do(TakeUpcard() if deal.taken else TurnDownUpcard())
    if declared:
        scene.do(Declare(maker=deal.maker, trump=deal.trump))
    plays = [play for trick in deal.tricks for play in trick]
    for played in plays[:cards]:
        scene.do(PlayCard(seat=played.seat, card=played.card))
    if mark:
        scene.do(ConfirmDeal())
    return deal


#: What the ``scene`` fixture gives: opens a scene that is closed when the test ends.
Opened = Callable[..., Scene]
