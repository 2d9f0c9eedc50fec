"""Disk, log, pictures and backups: is there room, can it be written, what is stored."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from engine.log import LogError
from engine.sqlite_log import SqliteLog, lock_path
from engine.wording import Sentence, say, worded
from pi import privacy
from pi.doctor.check import Check, Status, Surroundings, line

#: A game is some 100 kB of log and pictures; an evening of them must fit with room to spare.
LOW_DISK_BYTES = 500_000_000
FULL_DISK_BYTES = 20_000_000
#: From a play to its being on the disk; a worn card takes seconds.
SLOW_SYNC_S = 0.25
MANY_PICTURES_BYTES = 1_000_000_000
#: A backup older than this is worth a word, on a kit whose timer should make one a day.
OLD_BACKUP_S = 4 * 86_400
BACKUPS = "var/backups/upcard"


def log(path: Path) -> Iterator[Check]:
    """Whether every game of the log can be read."""
    if not path.exists():
        yield line(
            name="log",
            status="pass",
            detail=worded("{path}: none yet, made at the first game", path=str(path)),
        )
        return
    unreadable: list[str] = []
    try:
        with SqliteLog(path, read_only=True) as opened:
            lines = opened.games()
            for game in lines:
                try:
                    opened.read(game.game_id)
                except LogError as error:
                    unreadable.append(str(error))
    except LogError as error:
        yield line(
            name="log",
            status="fail",
            detail=say("words", words=str(error)),
            cure=worded("stop the table, then: upcard restore --salvage, or restore a backup"),
        )
        return
    if unreadable:
        yield line(
            name="log",
            status="fail",
            detail=worded(
                "{path}: {count} of {count_all} games cannot be read; the first: {words}",
                path=str(path),
                count=len(unreadable),
                count_all=len(lines),
                words=unreadable[0],
            ),
            cure=worded("stop the table, then: upcard restore --salvage keeps the others"),
        )
        return

    yield line(
        name="log",
        status="pass",
        detail=worded(
            "{path}: {count:game|games}, every fact as it was written",
            path=str(path),
            count=len(lines),
        ),
    )


def kit_process(path: Path) -> int | None:
    """The process that writes this log now; None where no kit runs, 0 where it is not named."""
    try:
        descriptor = os.open(lock_path(path), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
        return int(holder) if holder.isdigit() else 0
    finally:
        os.close(descriptor)
    return None


def disk(log_path: Path) -> Iterator[Check]:
    """Room, and how long a play takes to be on the disk."""
    folder = log_path.parent
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    status: Status = "pass"
    cure: Sentence | None = None
    if free < FULL_DISK_BYTES:
        status, cure = "fail", worded("make room: plays can no longer be recorded")
    elif free < LOW_DISK_BYTES:
        status, cure = "warn", worded("make room before a long evening")
    yield line(
        name="disk",
        status=status,
        detail=worded("{size} GB free at {path}", size=f"{free / 1e9:.1f}", path=str(folder)),
        cure=cure,
    )
    yield from _writing(folder)


def _writing(folder: Path) -> Iterator[Check]:
    probe = folder / f".upcard-doctor-{os.getpid()}"
    try:
        descriptor = os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            began = time.perf_counter()
            for _ in range(5):
                os.write(descriptor, bytes(4096))
                os.fsync(descriptor)
            each_s = (time.perf_counter() - began) / 5
        finally:
            os.close(descriptor)
    except OSError as error:
        read_only = os.access(folder, os.R_OK) and not os.access(folder, os.W_OK)
        yield line(
            name="writing",
            status="fail",
            detail=worded(
                "{path} cannot be written: {words}", path=str(folder), words=str(error.strerror)
            ),
            cure=(
                worded(
                    "make {path} writable for this user, or give another log with --log PATH",
                    path=str(folder),
                )
                if read_only
                else worded(
                    "free some space; if the card has turned read-only, copy the games off "
                    "and replace it"
                )
            ),
        )
        return
    finally:
        probe.unlink(missing_ok=True)
    slow = each_s > SLOW_SYNC_S
    yield line(
        name="writing",
        status="warn" if slow else "pass",
        detail=worded("a play is on the disk after {duration} ms", duration=f"{each_s * 1e3:.0f}"),
        cure=(worded("the card is slow or worn: a new A2 card, or a USB disk") if slow else None),
    )


def pictures(log_path: Path, evidence: Path, *, keep_days: int) -> Iterator[Check]:
    """What is stored of a home, and for how long."""
    found = privacy.stored(log_path, evidence)
    bytes_ = found.pictures_bytes + found.clips_bytes
    oldest = None
    if found.oldest_s is not None:
        oldest = f"{datetime.fromtimestamp(found.oldest_s, tz=UTC):%Y-%m-%d}"
    many = bytes_ > MANY_PICTURES_BYTES
    yield line(
        name="pictures",
        status="warn" if many else "pass",
        detail=worded(
            "{count} pictures of cards[, the oldest of {time_oldest}][; {clips} clips that "
            "somebody asked for]: {size} MB in {path}, kept {days} days; no whole picture of the "
            "room is stored",
            count=found.pictures,
            time_oldest=oldest,
            clips=found.clips or None,
            size=f"{bytes_ / 1e6:.1f}",
            path=str(evidence),
            days=keep_days,
        ),
        cure=(
            worded(
                "keep them for fewer days (pictures_days), or delete games: upcard games --delete"
            )
            if many
            else None
        ),
    )


def backups(around: Surroundings) -> Iterator[Check]:
    """The newest copy of the games, where the installer's timer should make them."""
    folder = around.root / BACKUPS
    if not folder.is_dir():
        return
    try:
        kept = sorted(folder.glob("games-*.db"), key=lambda path: path.stat().st_mtime)
    except OSError as error:
        yield line(
            name="backup",
            status="warn",
            detail=worded("{path}: {words}", path=str(folder), words=str(error.strerror)),
        )
        return
    if not kept:
        yield line(
            name="backup",
            status="warn",
            detail=worded("no copy of the games in {path} yet", path=str(folder)),
            cure=worded("the timer makes one a day; now: sudo systemctl start upcard-backup"),
        )
        return
    age_s = around.now_s() - kept[-1].stat().st_mtime
    old = age_s > OLD_BACKUP_S
    yield line(
        name="backup",
        status="warn" if old else "pass",
        detail=worded(
            "{count} copies of the games, the newest {days} days old",
            count=len(kept),
            days=round(max(age_s, 0) / 86_400),
        ),
        cure=(
            worded("systemctl status upcard-backup.timer says why none was made") if old else None
        ),
    )
