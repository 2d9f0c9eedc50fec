"""Logs that lost a page, and backups of them: what is wrong is named, and no half copy stays."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from engine import facts
from engine.backup import back_up, back_up_by_day, restore
from engine.log import Entry
from engine.sqlite_log import CorruptLog, LogMissing, SqliteLog


def entries(north: str = "Ann") -> list[Entry]:
    start = facts.GameStarted(rules={"preset": "home"}, names=(north, "b", "c", "d"), dealer=0)
    told = [start, *(facts.GamePaused(reason=f"{n:02}" + "x" * 900) for n in range(40))]
    return [Entry(at_us=1000 + n, source="director", fact=fact) for n, fact in enumerate(told)]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "games.upcard"
    with SqliteLog(path) as opened:
        opened.append("g", entries(), after_version=0)
    return path


def page_of(log: Path, words: bytes) -> int:
    """Where the page begins that holds ``words``."""
    return log.read_bytes().index(words) // 4096 * 4096


def lose_page(log: Path, at: int) -> None:
    """As a failing card gives it back: zeros."""
    data = bytearray(log.read_bytes())
    data[at : at + 4096] = bytes(4096)
    log.write_bytes(data)


def copies(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_log_whose_pages_are_lost_is_not_copied_and_leaves_no_half_copy(
    log: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    lose_page(log, page_of(log, b"39xxx"))
    with pytest.raises(CorruptLog, match=r"games\.upcard could not be copied to .*games\.copy"):
        back_up(log, folder / "games.copy")
    assert copies(folder) == []


def test_a_log_whose_facts_were_changed_is_not_copied_and_costs_no_older_copy(
    log: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    day = back_up_by_day(log, folder, keep=7)
    assert (day.games, day.kept, copies(folder)) == (1, 1, [day.file.name])
    whole = day.file.read_bytes()
    with contextlib.closing(sqlite3.connect(log, isolation_level=None)) as other:
        other.execute("DROP TRIGGER fact_is_never_updated")
        other.execute("UPDATE fact SET source = 'y' WHERE version = 2")
    with pytest.raises(CorruptLog, match="it is not what was written"):
        back_up_by_day(log, folder, keep=7)
    assert (copies(folder), day.file.read_bytes()) == ([day.file.name], whole)


def test_a_log_that_lost_where_a_game_began_still_says_when_the_others_did(log: Path) -> None:
    with SqliteLog(log) as opened:
        opened.append("h", entries("Zoe"), after_version=0)
    lose_page(log, page_of(log, b"Zoe"))
    with SqliteLog(log, read_only=True) as opened:
        told = [(line.game_id, line.started_at_us, line.version) for line in opened.games()]
        assert told == [("g", 1000, 41), ("h", 0, 41)]
        with pytest.raises(CorruptLog):
            opened.read("h")


def test_nothing_is_written_after_a_page_that_is_lost(log: Path) -> None:
    lose_page(log, page_of(log, b"39xxx"))
    with pytest.raises(CorruptLog, match=r"games\.upcard is damaged \(.+\): restore a backup"):
        SqliteLog(log)


def test_copies_by_the_day_need_their_folder(log: Path, tmp_path: Path) -> None:
    with pytest.raises(LogMissing, match="is not a folder that exists: make it first"):
        back_up_by_day(log, tmp_path / "nowhere", keep=7)


def test_only_the_oldest_copies_are_taken_away_and_no_other_file(log: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    others = ["games-2020-01-01.db", "games-2020-01-02.db", "games-2020-01-03.db"]
    for name in (*others, "notes.txt"):
        (folder / name).write_text("x")
    day = back_up_by_day(log, folder, keep=2)
    assert day.kept == 2
    assert copies(folder) == sorted([others[-1], day.file.name, "notes.txt"])


def test_a_copy_that_a_wrong_clock_dated_ahead_does_not_cost_todays(
    log: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    for name in ("games-2020-01-01.db", "games-2999-01-01.db"):
        (folder / name).write_text("x")
    day = back_up_by_day(log, folder, keep=1)
    assert (day.kept, copies(folder)) == (1, [day.file.name])


def test_a_backup_whose_pages_are_lost_is_not_put_back(log: Path, tmp_path: Path) -> None:
    backup = tmp_path / "games.copy"
    back_up(log, backup)
    lose_page(backup, page_of(backup, b"39xxx"))
    before = log.read_bytes()
    with pytest.raises(CorruptLog, match=r"games\.copy is damaged .*take another backup"):
        restore(backup, log, replace=True)
    assert log.read_bytes() == before
