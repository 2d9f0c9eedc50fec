"""What every log keeps: the same tests over the log in memory and the log on disk."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import facts
from engine.codec import BadFact
from engine.log import Entry, GameLine, Log, UnknownGame, VersionConflict
from engine.memory_log import MemoryLog
from engine.sqlite_log import SqliteLog


def in_memory(folder: Path) -> Log:
    return MemoryLog()


def on_disk(folder: Path) -> Log:
    return SqliteLog(folder / "games.upcard")


@pytest.fixture(params=[in_memory, on_disk], ids=["memory", "sqlite"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    make: Callable[[Path], Log] = request.param
    made = make(tmp_path)
    yield made
    made.close()


def started(at_us: int = 1_000) -> Entry:
    rules = {"preset": "home", "target": 10}
    fact = facts.GameStarted(rules=rules, names=("Ann", "Bob", "Cy", "Di"), dealer=None)
    return Entry(at_us=at_us, source="director", fact=fact)


def played(card: Any, seat: int = 0, at_us: int = 2_000) -> Entry:
    return Entry(at_us=at_us, source="camera", fact=facts.CardPlayed(seat=seat, card=card))


def test_a_new_log_holds_no_game(log: Log) -> None:
    assert log.games() == ()


def test_facts_come_back_as_they_were_appended(log: Log) -> None:
    entries = [
        started(),
        Entry(
            at_us=-5,
            source="camera",
            fact=facts.ReviewRaised(
                subject="play",
                seat=None,
                candidates=(("Kh", 0.6), ("Kd", 0.25)),
                reason="unsure",
                box=(1.5, 2.0, 30.0, 40.0),
            ),
        ),
        Entry(
            at_us=7,
            source="seat:2",
            fact=facts.Corrected(
                target=1, replacement=facts.CardPlayed(seat=3, card="B"), reason="misread ♥"
            ),
        ),
    ]
    appended = log.append("g", entries, after_version=0)
    assert appended == log.read("g")
    assert [r.fact for r in appended] == [e.fact for e in entries]
    assert [(r.at_us, r.source) for r in appended] == [(e.at_us, e.source) for e in entries]
    assert {r.game_id for r in appended} == {"g"}


def test_versions_count_within_a_game_and_seq_over_the_whole_log(log: Log) -> None:
    log.append("a", [started()], after_version=0)
    log.append("b", [started(), played("9h")], after_version=0)
    log.append("a", [played("Th"), played("Jh")], after_version=1)
    assert [(r.seq, r.version) for r in log.read("a")] == [(1, 1), (4, 2), (5, 3)]
    assert [(r.seq, r.version) for r in log.read("b")] == [(2, 1), (3, 2)]


def test_reading_after_a_version_leaves_out_what_is_known(log: Log) -> None:
    log.append("g", [started(), played("9h"), played("Th")], after_version=0)
    assert [r.version for r in log.read("g", after_version=1)] == [2, 3]
    assert log.read("g", after_version=3) == ()
    assert log.read("g", after_version=99) == ()


def test_an_unknown_game_is_named(log: Log) -> None:
    with pytest.raises(UnknownGame, match="'nobody'"):
        log.read("nobody")
    with pytest.raises(UnknownGame, match="'nobody'"):
        log.read("nobody", after_version=5)


@pytest.mark.parametrize("after_version", [0, 1, 3, -1])
def test_an_append_after_another_version_than_the_newest_changes_nothing(
    log: Log, after_version: int
) -> None:
    log.append("g", [started(), played("9h")], after_version=0)
    with pytest.raises(VersionConflict, match=f"stands at version 2, not at {after_version}"):
        log.append("g", [played("Th")], after_version=after_version)
    assert [r.version for r in log.read("g")] == [1, 2]


def test_a_game_that_is_new_begins_after_version_0(log: Log) -> None:
    with pytest.raises(VersionConflict, match="stands at version 0, not at 4"):
        log.append("g", [started()], after_version=4)
    assert log.games() == ()


def test_entries_are_appended_all_or_none(log: Log) -> None:
    log.append("g", [started()], after_version=0)
    with pytest.raises(BadFact, match="card"):
        log.append("g", [played("9h"), played("Zz"), played("Th")], after_version=1)
    assert [r.version for r in log.read("g")] == [1]
    log.append("g", [played("9h")], after_version=1)
    assert [r.seq for r in log.read("g")] == [1, 2]


@pytest.mark.parametrize(
    ("entry", "game_id", "named"),
    [
        (Entry(at_us=2**63, source="camera", fact=facts.TrickCleared()), "g", "at_us"),
        (Entry(at_us=1.5, source="camera", fact=facts.TrickCleared()), "g", "at_us"),  # type: ignore[arg-type]
        (Entry(at_us=1, source="", fact=facts.TrickCleared()), "g", "source"),
        (Entry(at_us=1, source="\ud83c", fact=facts.TrickCleared()), "g", "source"),
        (Entry(at_us=1, source="camera", fact=facts.TrickCleared()), " ", "game_id"),
        (Entry(at_us=1, source="camera", fact="cleared"), "g", "no fact"),  # type: ignore[arg-type]
    ],
)
def test_what_could_not_be_read_back_is_not_taken(
    log: Log, entry: Entry, game_id: str, named: str
) -> None:
    with pytest.raises(BadFact, match=named):
        log.append(game_id, [entry], after_version=0)
    assert log.games() == ()


def test_appending_nothing_is_nothing(log: Log) -> None:
    assert log.append("g", [], after_version=0) == ()
    assert log.games() == ()
    log.append("g", [started()], after_version=0)
    assert log.append("g", [], after_version=1) == ()
    with pytest.raises(VersionConflict):
        log.append("g", [], after_version=0)


def test_games_are_listed_oldest_first_with_their_newest_version(log: Log) -> None:
    log.append("zed", [started(at_us=500)], after_version=0)
    log.append("ann", [started(at_us=100), played("9h")], after_version=0)
    log.append("zed", [played("9h"), played("Th")], after_version=1)
    assert log.games() == (
        GameLine(game_id="zed", started_at_us=500, version=3),
        GameLine(game_id="ann", started_at_us=100, version=2),
    )


def test_a_game_id_is_taken_to_the_letter(log: Log) -> None:
    for game_id in ("g", "G", "g%", "g_", "'; DROP TABLE fact; --", "Jäger ♥"):
        log.append(game_id, [started()], after_version=0)
    assert len(log.games()) == 6
    assert len(log.read("'; DROP TABLE fact; --")) == 1


def test_of_many_threads_appending_after_one_version_exactly_one_wins(log: Log) -> None:
    log.append("g", [started()], after_version=0)
    outcomes: list[str] = []
    gate = threading.Barrier(8)

    def appends(seat: int) -> None:
        gate.wait()
        for after in range(1, 11):
            try:
                log.append("g", [played("9h", seat=seat % 4)], after_version=after)
                outcomes.append("appended")
            except VersionConflict:
                outcomes.append("conflict")

    threads = [threading.Thread(target=appends, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    records = log.read("g")
    assert [r.version for r in records] == list(range(1, len(records) + 1))
    assert outcomes.count("appended") == len(records) - 1
    assert len(outcomes) == 80
    assert "appended" in outcomes
