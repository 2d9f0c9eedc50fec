"""The table: one writer, durable before told, told in order, and never stopped by a listener."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from engine import facts
from engine.cards import Card
from engine.commands import (
    AdjustScore,
    ClearTrick,
    Correct,
    Declare,
    EndGame,
    PlayCard,
    Rejected,
    ShowUpcard,
    StartGame,
    Undo,
)
from engine.facts import Recorded
from engine.intake import Ignored
from engine.log import Entry, Log, LogError, UnknownGame
from engine.memory_log import MemoryLog
from engine.notation import ImportedGame
from engine.sightings import CardRested, Place, TableCovered
from engine.sqlite_log import LogFull, SqliteLog
from engine.state import fold
from engine.table import Accepted, Table, find_game, new_game_id, store

#: 29 November 2026, 23:45 UTC.
EVENING_US = 1_795_995_900_000_000


class Clock:
    """Moves on by a second whenever it is asked."""

    def __init__(self) -> None:
        self.now_us = EVENING_US

    def __call__(self) -> int:
        self.now_us += 1_000_000
        return self.now_us


@pytest.fixture(params=["memory", "sqlite"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    made: Log = MemoryLog() if request.param == "memory" else SqliteLog(tmp_path / "g.upcard")
    yield made
    made.close()


@pytest.fixture
def table(log: Log) -> Table:
    return Table(log, clock_us=Clock(), new_suffix=lambda: "abcd")


def accepted(answer: object) -> Accepted:
    assert isinstance(answer, Accepted), answer
    return answer


def start(table: Table, **changes: Any) -> Accepted:
    return accepted(table.submit(StartGame(dealer=3, **changes), source="director"))


def rested(card: str, *, track: int, seat: int | None, middle: bool = False) -> CardRested:
    return CardRested(
        at_us=EVENING_US + track * 1_000_000,
        track=track,
        card=Card(card),
        confidence=0.99,
        votes=((Card(card), 0.99),),
        place=Place(seat=seat, middle=middle),
        box=(0.0, 0.0, 1.0, 1.0),
        laid_from=3 if middle else None,
    )


def test_without_a_game_only_a_start_makes_sense(table: Table, log: Log) -> None:
    assert (table.game_id, table.version, table.records) == (None, 0, ())
    refused = table.submit(PlayCard(seat=0, card=Card("9h")), source="seat:0")
    assert isinstance(refused, Rejected)
    assert refused.code == "not_now"
    assert isinstance(table.see(rested("9h", track=1, seat=0)), Ignored)
    assert log.games() == ()
    assert table.snapshot()["version"] == 0


def test_a_new_game_gets_an_id_that_reads_and_sorts(table: Table, log: Log) -> None:
    begun = start(table)
    assert begun.game_id == "20261129-2345-abcd"
    assert begun.version == table.version == len(begun.facts) == 1
    assert isinstance(begun.facts[0].fact, facts.GameStarted)
    assert [line.game_id for line in log.games()] == ["20261129-2345-abcd"]
    assert (
        new_game_id(EVENING_US - 1, "ffff")
        < "20261129-2345-0000"
        < new_game_id(EVENING_US + 60_000_000, "0000")
    )


def test_an_id_is_never_given_twice(log: Log) -> None:
    suffixes = iter(["same", "same", "same", "next"])
    for _ in range(2):
        table = Table(log, clock_us=lambda: EVENING_US, new_suffix=lambda: next(suffixes))
        start(table)
    assert [line.game_id for line in log.games()] == ["20261129-2345-same", "20261129-2345-next"]
    random = Table(MemoryLog(), clock_us=lambda: EVENING_US)
    assert re.fullmatch(r"20261129-2345-[0-9a-f]{4}", start(random).game_id or "")


def test_what_is_accepted_is_in_the_log_and_in_the_state(table: Table, log: Log) -> None:
    start(table)
    shown = accepted(table.submit(ShowUpcard(card=Card("9h"), dealer=3), source="seat:3", at_us=77))
    assert [(r.at_us, r.source, r.version) for r in shown.facts] == [(77, "seat:3", 2)]
    assert shown.facts[0].fact == facts.UpcardShown(card=Card("9h"), dealer=3)
    assert table.records == log.read(table.game_id or "")
    assert table.state == fold(table.records)
    assert table.standing.version == table.version == 2


def test_a_refused_command_changes_nothing(table: Table) -> None:
    start(table)
    before = table.standing
    refused = table.submit(ClearTrick(), source="director")
    assert isinstance(refused, Rejected)
    assert table.standing is before
    for points in ((1, 2, 3), (0, 0)):
        answer = table.submit(AdjustScore(points=points, reason="x"), source="director")
        assert isinstance(answer, Rejected)


def test_a_command_meant_for_an_older_version_is_stale(table: Table) -> None:
    start(table)
    looked_at = table.version
    accepted(table.submit(ShowUpcard(card=Card("9h"), dealer=3), source="seat:3"))
    refused = table.submit(Declare(maker=0, trump="h"), source="seat:0", expect_version=looked_at)
    assert isinstance(refused, Rejected)
    assert refused.code == "stale"
    assert "version 1 was meant, the table is at 2" in refused.reason
    assert table.version == 2
    accepted(
        table.submit(Declare(maker=0, trump="h"), source="seat:0", expect_version=table.version)
    )


def test_a_second_game_waits_for_the_first_to_be_over(table: Table, log: Log) -> None:
    start(table)
    assert isinstance(table.submit(StartGame(), source="director"), Rejected)
    accepted(table.submit(EndGame(reason="late"), source="director"))
    other = Table(log, table.game_id, clock_us=Clock(), new_suffix=lambda: "efgh")
    begun = start(other)
    assert (begun.game_id, begun.version) == ("20261129-2345-efgh", 1)
    assert len(log.games()) == 2
    assert len(log.read("20261129-2345-abcd")) == 2


def test_what_is_seen_is_recorded_at_the_moment_it_was_seen(table: Table) -> None:
    start(table)
    up = accepted(table.see(rested("9h", track=1, seat=None, middle=True)))
    assert [(r.at_us, r.source) for r in up.facts] == [(EVENING_US + 1_000_000, "camera")]
    played = accepted(table.see(rested("Jh", track=2, seat=0), source="clip"))
    assert played.facts[-1].source == "clip"
    assert isinstance(played.facts[-1].fact, facts.CardPlayed)
    assert isinstance(table.see(TableCovered(at_us=EVENING_US)), Ignored)
    assert table.state == fold(table.records)


def test_a_recorded_game_is_taken_up_where_it_stands(table: Table, log: Log) -> None:
    start(table)
    accepted(table.submit(ShowUpcard(card=Card("9h"), dealer=3), source="seat:3"))
    for name in (table.game_id or "", "last"):
        again = Table.open(log, name, clock_us=Clock())
        assert again.records == table.records
        assert again.state == table.state
        assert again.snapshot() == table.snapshot()
    accepted(again.submit(Undo(), source="director"))
    assert again.version == 3


def test_an_unknown_game_is_named(log: Log) -> None:
    with pytest.raises(UnknownGame, match="no game is in the log yet"):
        Table.open(log, "last", clock_us=Clock())
    start(Table(log, clock_us=Clock()))
    with pytest.raises(UnknownGame, match="'20200101-0000-0000'"):
        Table.open(log, "20200101-0000-0000", clock_us=Clock())
    with pytest.raises(UnknownGame):
        Table(log, "nobody", clock_us=Clock())
    assert find_game(log, "last") == log.games()[-1].game_id


def test_a_snapshot_is_made_once_for_each_version(table: Table) -> None:
    start(table)
    first = table.snapshot()
    assert table.snapshot() is first
    assert first["version"] == 1
    accepted(table.submit(ShowUpcard(card=Card("9h"), dealer=3), source="seat:3"))
    assert table.snapshot() is not first
    assert table.snapshot()["version"] == 2


def test_listeners_are_told_in_order_and_only_of_what_is_durable(table: Table, log: Log) -> None:
    told: list[tuple[int, int]] = []

    def listener(news: Accepted) -> None:
        told.append((news.version, log.games()[-1].version))

    stop = table.subscribe(listener)
    start(table)
    accepted(table.submit(ShowUpcard(card=Card("9h"), dealer=3), source="seat:3"))
    table.submit(ClearTrick(), source="director")  # refused: nobody is told
    stop()
    accepted(table.submit(Undo(), source="director"))
    assert told == [(1, 1), (2, 2)]
    stop()  # twice does no harm


def test_a_listener_that_fails_harms_nobody(table: Table, caplog: pytest.LogCaptureFixture) -> None:
    told: list[int] = []

    def fails(news: Accepted) -> None:
        raise RuntimeError("the lamp fell over")

    table.subscribe(fails)
    table.subscribe(lambda news: told.append(news.version))
    with caplog.at_level(logging.ERROR):
        start(table)
    assert told == [1]
    assert table.version == 1
    assert "the lamp fell over" in caplog.text


def test_a_listener_may_ask_the_table_for_more_and_all_hear_it_in_order(table: Table) -> None:
    told: list[int] = []

    def shows_upcard(news: Accepted) -> None:
        if news.version == 1:
            accepted(table.submit(ShowUpcard(card=Card("9h"), dealer=3), source="seat:3"))

    table.subscribe(shows_upcard)
    table.subscribe(lambda news: told.append(news.version))
    start(table)
    assert told == [1, 2]


def test_a_listener_that_waits_does_not_hold_up_the_table(table: Table) -> None:
    waiting, go_on = threading.Event(), threading.Event()
    told: list[int] = []

    def waits(news: Accepted) -> None:
        told.append(news.version)
        if news.version == 1:
            waiting.set()
            assert go_on.wait(10)

    table.subscribe(waits)
    thread = threading.Thread(target=start, args=(table,))
    thread.start()
    assert waiting.wait(10)
    # The listener sits on version 1; a tap on another thread is taken all the same.
    accepted(table.submit(ShowUpcard(card=Card("9h"), dealer=3), source="seat:3"))
    assert table.snapshot()["version"] == 2
    assert told == [1]
    go_on.set()
    thread.join(10)
    assert told == [1, 2]


def test_many_threads_at_once_make_one_order(table: Table, log: Log) -> None:
    start(table)
    accepted(table.submit(ShowUpcard(card=Card("9h"), dealer=3), source="seat:3"))
    told: list[int] = []
    table.subscribe(lambda news: told.extend(r.version for r in news.facts))

    def taps(seat: int) -> None:
        for _ in range(10):
            table.submit(AdjustScore(points=(1, 0), reason=f"seat {seat}"), source=f"seat:{seat}")

    threads = [threading.Thread(target=taps, args=(seat,)) for seat in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == list(range(3, 43))
    assert [r.version for r in log.read(table.game_id or "")] == list(range(1, 43))
    assert table.state.score == (40, 0)
    assert table.state == fold(table.records)


def test_two_tables_on_one_log_never_overwrite_each_other(log: Log) -> None:
    one = Table(log, clock_us=Clock(), new_suffix=lambda: "abcd")
    start(one)
    two = Table.open(log, "last", clock_us=Clock())
    accepted(two.submit(ShowUpcard(card=Card("9h"), dealer=3), source="seat:3"))
    refused = one.submit(ShowUpcard(card=Card("Th"), dealer=3), source="seat:3")
    assert isinstance(refused, Rejected)
    assert refused.code == "stale"
    assert one.records == two.records  # it has caught up
    accepted(two.submit(Declare(maker=0, trump="h"), source="seat:0"))
    played = accepted(one.see(rested("Jh", track=4, seat=0)))  # seen again, not lost
    assert [r.version for r in played.facts] == [4]
    assert one.records == log.read(one.game_id or "")


class RacedLog(MemoryLog):
    """A log that another program writes too: its game begins just before ours, of the same id."""

    raced = False

    def append(
        self, game_id: str, entries: Sequence[Entry], *, after_version: int
    ) -> tuple[Recorded, ...]:
        if not self.raced:
            self.raced = True
            super().append(game_id, entries, after_version=0)
        return super().append(game_id, entries, after_version=after_version)


def test_a_game_that_another_program_begins_under_the_same_id_is_not_written_into() -> None:
    log = RacedLog()
    suffixes = iter(("abcd", "efgh"))
    table = Table(log, clock_us=Clock(), new_suffix=lambda: next(suffixes))
    refused = table.submit(StartGame(), source="director")
    assert isinstance(refused, Rejected)
    assert refused.code == "stale"
    assert (table.game_id, table.version) == (None, 0)
    begun = accepted(table.submit(StartGame(), source="director"))
    assert (begun.game_id, begun.version) == ("20261129-2345-efgh", 1)
    assert [line.version for line in log.games()] == [1, 1]


class FullLog(MemoryLog):
    """A log whose disk is full while ``full``."""

    full = False

    def append(
        self, game_id: str, entries: Sequence[Entry], *, after_version: int
    ) -> tuple[Recorded, ...]:
        if self.full:
            raise LogFull("games.upcard: no room on the disk: free some space")
        return super().append(game_id, entries, after_version=after_version)


def test_a_log_that_takes_nothing_leaves_the_table_as_it_was_and_the_play_can_come_again() -> None:
    log = FullLog()
    table = Table(log, clock_us=Clock())
    told: list[int] = []
    table.subscribe(lambda news: told.append(news.version))
    start(table)
    accepted(table.see(rested("9h", track=1, seat=None, middle=True)))
    before = table.standing
    log.full = True
    with pytest.raises(LogError, match="free some space"):
        table.see(rested("Jh", track=2, seat=0))
    with pytest.raises(LogError):
        table.submit(Undo(), source="director")
    assert table.standing is before
    assert told == [1, 2]
    log.full = False
    played = accepted(table.see(rested("Jh", track=2, seat=0)))
    assert played.facts[-1].fact == facts.CardPlayed(
        seat=0, card=Card("Jh"), confidence=0.99, track=2
    )
    assert told == [1, 2, 3]


def test_corrections_go_through_the_table_like_everything_else(table: Table) -> None:
    start(table)
    accepted(table.submit(ShowUpcard(card=Card("9h"), dealer=3), source="seat:3"))
    accepted(table.submit(Correct(target=2, card=Card("Th"), reason="misread"), source="seat:3"))
    upcard = table.state.deals[0].upcard
    assert upcard is not None
    assert upcard.card == "Th"


def game(*told: facts.Fact, game_id: str | None = None) -> ImportedGame:
    begun = facts.GameStarted(rules={"preset": "home"}, names=("a", "b", "c", "d"), dealer=0)
    entries = tuple(Entry(at_us=EVENING_US, source="import", fact=f) for f in (begun, *told))
    return ImportedGame(title="", entries=entries, game_id=game_id)


def test_an_imported_game_keeps_its_id_and_is_stored_once(log: Log) -> None:
    assert store(log, game(game_id="20200101-0000-aaaa")) == "20200101-0000-aaaa"
    assert store(log, game(game_id="20200101-0000-aaaa")) == "20200101-0000-aaaa"
    assert len(log.games()) == 1
    assert len(log.read("20200101-0000-aaaa")) == 1


def test_an_imported_game_without_an_id_or_with_a_taken_one_gets_its_own(log: Log) -> None:
    assert store(log, game(), new_suffix=lambda: "abcd") == "20261129-2345-abcd"
    store(log, game(game_id="20200101-0000-aaaa"))
    other = game(facts.GameEnded(reason="x"), game_id="20200101-0000-aaaa")
    assert store(log, other, new_suffix=lambda: "efgh") == "20261129-2345-efgh"
    assert len(log.read("20200101-0000-aaaa")) == 1
