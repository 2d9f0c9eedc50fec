"""Copies of the log: made while the kit runs, put back when it does not.

A backup is one whole, checked file with nothing beside it (no write-ahead log), so it can be
carried away on a stick. Nothing is ever written over: neither by a backup nor by a restore.
Of a damaged log the games that can be read are saved, each whole or not at all.
"""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from engine.log import Entry, LogError
from engine.sqlite_log import CorruptLog, LogMissing, NotALog, SqliteLog, lock_path, take_lock

_DAY_COPY: Final = re.compile(r"games-[0-9]{4}-[0-9]{2}-[0-9]{2}\.db")


class FileThere(LogError, FileExistsError):
    """A file is there already that would be written over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """``games``: how many the log holds now. ``kept``: where the log that was there is now."""

    games: int
    kept: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Salvaged:
    """``games``: how many were saved. ``lost``: a sentence for each that was not. ``kept``:
    where the damaged log is now."""

    games: int
    lost: tuple[str, ...]
    kept: Path | None


def back_up(log: Path, file: Path) -> int:
    """Copy the log to ``file`` (SQLite's VACUUM INTO), also while a kit writes it.

    Returns the number of games in the copy, read back from it. Raises FileThere, LogMissing
    and whatever a log raises; what was half written is taken away again.
    """
    if file.exists():
        raise FileThere(f"{file} is there already: name a new file for the backup")
    if not file.absolute().parent.is_dir():
        raise LogMissing(f"{file.absolute().parent} is not a folder that exists: make it first")
    with SqliteLog(log, read_only=True) as source:
        source.games()  # what cannot be read is said before anything is written
    try:
        with closing(sqlite3.connect(f"{log.absolute().as_uri()}?mode=ro", uri=True)) as db:
            db.execute("VACUUM INTO ?", (str(file),))
        with file.open("rb") as copied:
            os.fsync(copied.fileno())
        return _whole(file)
    except sqlite3.Error as error:
        file.unlink(missing_ok=True)
        raise CorruptLog(f"{log} could not be copied to {file}: {error}") from error
    except BaseException:
        file.unlink(missing_ok=True)
        raise


@dataclass(frozen=True, slots=True, kw_only=True)
class DayCopy:
    """``file``: today's copy. ``games``: how many it holds. ``kept``: copies there are now."""

    file: Path
    games: int
    kept: int


def back_up_by_day(log: Path, folder: Path, *, keep: int) -> DayCopy:
    """Copy the log into ``folder`` as ``games-YYYY-MM-DD.db`` and keep the newest ``keep``.

    A copy of the same day is renewed, and only once the new one is whole. Other files in the
    folder are left alone. Raises LogMissing without a folder, and what a log raises.
    """
    if not folder.is_dir():
        raise LogMissing(f"{folder} is not a folder that exists: make it first")
    today = folder / f"games-{datetime.now(tz=UTC):%Y-%m-%d}.db"
    fresh = folder / f".{today.name}.copying"
    fresh.unlink(missing_ok=True)
    games = back_up(log, fresh)
    os.replace(fresh, today)
    copies = sorted(path for path in folder.iterdir() if _DAY_COPY.fullmatch(path.name))
    # By name, which is by day: a clock that was wrong once must not cost the newest copy.
    old = [path for path in copies if path != today][: max(0, len(copies) - keep)]
    for path in old:
        path.unlink()
    return DayCopy(file=today, games=games, kept=len(copies) - len(old))


def restore(file: Path, log: Path, *, replace: bool = False) -> Restored:
    """Put the backup ``file`` in the place of ``log``; the backup itself stays as it is.

    A log that is there is never written over: without ``replace`` that is FileThere, with it
    the old log is kept beside the new one. Raises LogLocked while a kit writes the log, and
    whatever is wrong with the backup, before anything has changed.
    """
    games = _whole(file)
    if log.exists() and file.exists() and log.samefile(file):
        raise FileThere(f"{file} is the log itself: name a backup")
    there = log.exists()
    if there and not replace:
        raise FileThere(
            f"{log} is there already and would no longer be the log: say --replace to keep it "
            "under another name, or --log to put the backup elsewhere"
        )
    log.absolute().parent.mkdir(parents=True, exist_ok=True)
    kept: Path | None = None
    fresh = log.with_name(log.name + ".restoring")
    fresh.unlink(missing_ok=True)
    back_up(file, fresh)
    try:
        if there:
            # Opened for writing: takes the writer's lock and folds the write-ahead log in.
            with SqliteLog(log):
                kept = _free_name(log)
                os.link(log, kept)
                os.replace(fresh, log)
            for beside in ("-wal", "-shm"):
                log.with_name(log.name + beside).unlink(missing_ok=True)
        else:
            os.replace(fresh, log)
    finally:
        fresh.unlink(missing_ok=True)
    return Restored(games=games, kept=kept)


def salvage(log: Path) -> Salvaged:
    """Put a sound log with every game that can be read in the place of a damaged one.

    The damaged file is kept beside it. Raises LogLocked while a kit writes the log, and what
    makes it no log at all (NotALog, NewerLog): then nothing has changed.
    """
    fresh = log.with_name(log.name + ".salvaging")
    for name in (fresh, lock_path(fresh)):
        name.unlink(missing_ok=True)
    # The writer's lock first: a kit that writes on would write into the file that goes.
    held = take_lock(log)
    try:
        games, lost = _copy_what_is_whole(log, fresh)
        kept = _free_name(log)
        os.link(log, kept)
        os.replace(fresh, log)
        for beside in ("-wal", "-shm"):
            log.with_name(log.name + beside).unlink(missing_ok=True)
    finally:
        os.close(held)
        for name in (fresh, lock_path(fresh)):
            name.unlink(missing_ok=True)
    return Salvaged(games=games, lost=lost, kept=kept)


def _copy_what_is_whole(log: Path, fresh: Path) -> tuple[int, tuple[str, ...]]:
    games = 0
    lost: list[str] = []
    with SqliteLog(log, read_only=True) as damaged, SqliteLog(fresh) as sound:
        for line in damaged.games():
            try:
                records = damaged.read(line.game_id)
            except LogError as error:
                lost.append(str(error))
                continue
            entries = [Entry(at_us=r.at_us, source=r.source, fact=r.fact) for r in records]
            sound.append(line.game_id, entries, after_version=0)
            games += 1
    return games, tuple(lost)


def _whole(file: Path) -> int:
    """The number of games in a log, every fact of which can be read."""
    if not file.exists():
        raise LogMissing(f"{file} does not exist: name a file that upcard backup wrote")
    if file.is_dir():
        raise NotALog(f"{file} is a folder: name a file in it that upcard backup wrote")
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as db:
            (verdict,) = db.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        raise NotALog(
            f"{file} is no backup of a log: {error}: name a file that upcard backup wrote"
        ) from error
    if verdict != "ok":
        where = str(verdict).splitlines()[-1]
        raise CorruptLog(f"{file} is damaged ({where}): take another backup")
    with SqliteLog(file, read_only=True) as log:
        lines = log.games()
        for line in lines:
            log.read(line.game_id)
    return len(lines)


def _free_name(log: Path) -> Path:
    """A name beside the log for the one that was there, with the moment in it."""
    now = datetime.now(tz=UTC)
    number = 0
    while True:
        more = f"-{number}" if number else ""
        name = log.with_name(f"{log.stem}.before-{now:%Y%m%d-%H%M%S}{more}{log.suffix}")
        if not name.exists() and not lock_path(name).exists():
            return name
        number += 1
