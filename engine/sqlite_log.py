"""The log on disk: SQLite, append-only, and durable before it is acknowledged.

One STRICT table, in write-ahead mode with ``synchronous=FULL``: when :meth:`SqliteLog.append`
returns, the facts survive a killed process and a pulled plug. Triggers refuse UPDATE, DELETE
and gaps; the gap check runs before SQLite resolves any conflict, so it also refuses
``INSERT OR REPLACE``, which fires neither an update nor a delete trigger.

Beside each fact lies a seal, a checksum in a table of its own, so that a bit that flipped on
the card is found and named instead of believed: SQLite itself only notices when a page no
longer hangs together. A log from before the seals gets them when it is next opened to write.

One writer for each log: an operating-system lock on a file beside it (``NAME.lock``) is held
for the life of the process and let go by the kernel when it dies, however it dies. The lock
file itself stays. Readers (``read_only=True``) need no lock and may come at any time.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
import stat
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any, Final

from engine import codec
from engine.facts import Recorded
from engine.log import Entry, GameLine, LogError, UnknownGame, VersionConflict
from engine.memory_log import conflict, unknown

#: Marks the file as ours ("UPCD"), so that another program's database is never taken for one.
APPLICATION_ID: Final = 0x55504344
#: The number of the table's shape; a newer one is refused, an older one would be lifted here.
LAYOUT: Final = 1

#: What to do about damage: the games that can be read are saved first.
_CURE: Final = "restore a backup, or save what can be read: upcard restore --salvage"

_SET_LAYOUT: Final = f"PRAGMA user_version = {LAYOUT}"
#: Checksums, apart from what they seal: damage seldom meets both.
_SEALS: Final = (
    """
    CREATE TABLE IF NOT EXISTS seal (
      game_id TEXT    NOT NULL,
      version INTEGER NOT NULL,
      seq     INTEGER NOT NULL,
      crc     INTEGER NOT NULL,
      PRIMARY KEY (game_id, version)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TRIGGER IF NOT EXISTS seal_is_never_updated BEFORE UPDATE ON seal
    BEGIN SELECT RAISE(ABORT, 'seals are never changed'); END
    """,
    """
    CREATE TRIGGER IF NOT EXISTS seal_is_never_deleted BEFORE DELETE ON seal
    BEGIN SELECT RAISE(ABORT, 'seals are never deleted'); END
    """,
)
_NEVER_DELETED: Final = """
    CREATE TRIGGER fact_is_never_deleted BEFORE DELETE ON fact
    BEGIN SELECT RAISE(ABORT, 'facts are never deleted: append a correction'); END
    """
_COLUMNS: Final = "seq, game_id, version, kind, schema, at_us, source, body"
_CREATE: Final = (
    """
    CREATE TABLE fact (
      seq     INTEGER PRIMARY KEY,
      game_id TEXT    NOT NULL,
      version INTEGER NOT NULL,
      kind    TEXT    NOT NULL,
      schema  INTEGER NOT NULL,
      at_us   INTEGER NOT NULL,
      source  TEXT    NOT NULL,
      body    TEXT    NOT NULL,
      UNIQUE (game_id, version)
    ) STRICT
    """,
    """
    CREATE TRIGGER fact_is_never_updated BEFORE UPDATE ON fact
    BEGIN SELECT RAISE(ABORT, 'facts are never changed: append a correction'); END
    """,
    _NEVER_DELETED,
    # Both numbers must be the next ones: neither a gap nor a replaced row gets through.
    """
    CREATE TRIGGER fact_is_appended_without_gap BEFORE INSERT ON fact
    WHEN NEW.version IS NOT
           (SELECT coalesce(max(version), 0) + 1 FROM fact WHERE game_id = NEW.game_id)
      OR NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM fact)
    BEGIN SELECT RAISE(ABORT, 'facts are only appended, without gaps'); END
    """,
    f"PRAGMA application_id = {APPLICATION_ID}",
    _SET_LAYOUT,
)


class LogLocked(LogError, BlockingIOError):
    """Another process writes this log."""


class LogMissing(LogError, FileNotFoundError):
    """There is no log there, or no folder to put one in."""


class LogFull(LogError, OSError):
    """The disk has no room for another fact. Nothing acknowledged is lost."""


class LogReadOnly(LogError, PermissionError):
    """The log may be read but not written."""


class LogUnreadable(LogError, OSError):
    """The disk failed to give or take the log's pages."""


class NotALog(LogError, ValueError):
    """The file is no log of Upcard's."""


class NewerLog(LogError, ValueError):
    """A newer Upcard wrote this log."""


class CorruptLog(LogError, ValueError):
    """A row or a page of the log does not say what a log says."""


class SqliteLog:
    """The facts of many games in one file. Safe to share between threads.

    ``path``: the file; it is made when it is not there, its folder must be. ``read_only``:
    take no lock and change nothing. ``busy_ms``: how long to wait for a reader's moment.

    Raises LogLocked, LogMissing, LogReadOnly, LogFull, NotALog, NewerLog, CorruptLog or
    LogUnreadable, each naming the file and the cure. Use as a context manager, or close it.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, read_only: bool = False, busy_ms: int = 5_000
    ) -> None:
        self.path = Path(path)
        self.read_only = read_only
        self._lock = RLock()
        self._hold: int | None = None
        if not read_only:
            self._hold = take_lock(self.path)
        try:
            self._db = _open(self.path, read_only=read_only, busy_ms=busy_ms)
        except BaseException:
            self._let_go()
            raise

    def append(
        self, game_id: str, entries: Sequence[Entry], *, after_version: int
    ) -> tuple[Recorded, ...]:
        """Append all of ``entries`` or none, durably; return them as the log now holds them.

        Raises VersionConflict unless the game stands at ``after_version``, BadFact for an
        entry that cannot be stored, LogFull, LogReadOnly or LogUnreadable. After any of them
        the log stands as it stood and the same call may be made again.
        """
        if self.read_only:
            raise LogReadOnly(f"{self.path} was opened for reading only: nothing is appended")
        rows = [codec.to_row(entry.fact) for entry in entries]
        for entry in entries:
            codec.check_envelope(game_id, entry.at_us, entry.source)
        with self._lock, _as_log_errors(self.path):
            with _transaction(self._db):
                standing, newest, sealed = self._db.execute(
                    "SELECT coalesce((SELECT max(version) FROM fact WHERE game_id = ?1), 0),"
                    " coalesce((SELECT max(seq) FROM fact), 0),"
                    " coalesce((SELECT max(version) FROM seal WHERE game_id = ?1), 0)",
                    (game_id,),
                ).fetchone()
                if sealed > standing:
                    raise CorruptLog(self._lost(game_id, standing + 1))
                if standing != after_version:
                    raise VersionConflict(conflict(game_id, standing, after_version))
                records = tuple(
                    Recorded(
                        seq=newest + i,
                        game_id=game_id,
                        version=standing + i,
                        at_us=entry.at_us,
                        source=entry.source,
                        fact=codec.from_row(row),
                    )
                    for i, (entry, row) in enumerate(zip(entries, rows, strict=True), start=1)
                )
                stored = [
                    (r.seq, game_id, r.version, w.kind, w.schema, r.at_us, r.source, w.body)
                    for r, w in zip(records, rows, strict=True)
                ]
                self._db.executemany(
                    f"INSERT INTO fact ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", stored
                )
                _seal(self._db, stored)
            return records

    def erase(self, game_id: str) -> int:
        """Take a whole game out of the file for good; answer how many facts it had.

        People own their games, so the one thing the triggers never allow is done here, by the
        single writer, in one transaction: the game is gone or whole, whenever the power goes.
        What it said is overwritten, not only unlinked. The other games keep their numbers.
        Raises UnknownGame, and what a log raises.
        """
        if self.read_only:
            raise LogReadOnly(f"{self.path} was opened for reading only: nothing is erased")
        with self._lock, _as_log_errors(self.path):
            # The freed space is overwritten with zeros.
            self._db.execute("PRAGMA secure_delete = ON")
            with _transaction(self._db):
                self._db.execute("DROP TRIGGER fact_is_never_deleted")
                self._db.execute("DROP TRIGGER seal_is_never_deleted")
                erased = self._db.execute("DELETE FROM fact WHERE game_id = ?", (game_id,)).rowcount
                if erased == 0:
                    raise UnknownGame(unknown(game_id, str(self.path)))
                self._db.execute("DELETE FROM seal WHERE game_id = ?", (game_id,))
                self._db.execute(_NEVER_DELETED)
                for statement in _SEALS:
                    self._db.execute(statement)
            # Old pages lie in the write-ahead log until it is folded in and cut off.
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return erased

    def read(self, game_id: str, *, after_version: int = 0) -> tuple[Recorded, ...]:
        """The game's facts after ``after_version``, in order.

        Raises UnknownGame, or CorruptLog naming the row that cannot be read.
        """
        with self._lock, _as_log_errors(self.path):
            rows = self._db.execute(
                f"SELECT {_COLUMNS} FROM fact WHERE game_id = ? AND version > ? ORDER BY version",
                (game_id, after_version),
            ).fetchall()
            seals = self._seals(game_id, after_version)
            foreign = self._sealed_elsewhere(rows, seals)
            if (
                not rows
                and not seals
                and not self._db.execute(
                    "SELECT 1 FROM fact WHERE game_id = ? LIMIT 1", (game_id,)
                ).fetchone()
            ):
                raise UnknownGame(unknown(game_id, str(self.path)))
        records = []
        start = max(after_version, 0) + 1
        for expected, row in enumerate(rows, start=start):
            version = row[2]
            if version != expected:
                raise CorruptLog(self._lost(game_id, expected))
            if version in seals and seals[version] != _crc(row):
                raise CorruptLog(self._bad_row(row, "it is not what was written"))
            if row[0] in foreign:
                raise CorruptLog(self._bad_row(row, "it was written for another game"))
            records.append(self._recorded(row))
        if seals and max(seals) >= start + len(rows):
            raise CorruptLog(self._lost(game_id, start + len(rows)))
        return tuple(records)

    def _recorded(self, row: tuple[Any, ...]) -> Recorded:
        seq, game_id, version, kind, schema, at_us, source, body = row
        if not (
            all(isinstance(text, str) for text in (kind, source, body))
            and all(isinstance(number, int) for number in (seq, schema, at_us))
        ):
            raise CorruptLog(self._bad_row(row, "its columns are of other types"))
        try:
            fact = codec.from_row(codec.Row(kind=kind, schema=schema, body=body))
        except codec.BadFact as bad:
            raise CorruptLog(self._bad_row(row, str(bad))) from bad
        return Recorded(
            seq=seq, game_id=game_id, version=version, at_us=at_us, source=source, fact=fact
        )

    def _seals(self, game_id: str, after_version: int) -> dict[int, int]:
        """The checksums of a game's facts by version; none in a log from before the seals."""
        if not _has_seals(self._db):
            return {}
        found = self._db.execute(
            "SELECT version, crc FROM seal WHERE game_id = ? AND version > ?",
            (game_id, after_version),
        ).fetchall()
        if not all(isinstance(version, int) for version, _ in found):
            raise CorruptLog(
                f"{self.path}: the seals of game {game_id} are damaged: {_CURE}; "
                "the other games can be read"
            )
        return dict(found)

    def _sealed_elsewhere(
        self, rows: Sequence[tuple[Any, ...]], seals: Mapping[int, int]
    ) -> frozenset[int]:
        """Rows without a seal in this game whose seal lies in another: an index gone astray."""
        bare = [row[0] for row in rows if row[2] not in seals]
        if not bare or not _has_seals(self._db):
            return frozenset()
        found = self._db.execute(
            "SELECT seq FROM seal WHERE seq BETWEEN ? AND ?", (min(bare), max(bare))
        ).fetchall()
        return frozenset(bare) & {seq for (seq,) in found}

    def _lost(self, game_id: str, version: int) -> str:
        return (
            f"{self.path}: game {game_id} has no version {version}: {_CURE}; "
            "the other games can be read"
        )

    def _bad_row(self, row: tuple[Any, ...], why: str) -> str:
        return (
            f"{self.path}: row {row[0]} (game {row[1]}, version {row[2]}, {_printable(row[3])}) "
            f"cannot be read: {_printable(why)}; the other games can: {_CURE}"
        )

    def games(self) -> tuple[GameLine, ...]:
        """All games, oldest first. Of a damaged log, those that the seals know of."""
        with self._lock, _as_log_errors(self.path):
            try:
                rows = self._db.execute(
                    "SELECT g.game_id, f.at_us, g.newest FROM"
                    " (SELECT game_id, min(version) AS oldest, max(version) AS newest"
                    "  FROM fact GROUP BY game_id) AS g"
                    " JOIN fact AS f ON f.game_id = g.game_id AND f.version = g.oldest"
                    " ORDER BY f.seq"
                ).fetchall()
            except sqlite3.DatabaseError as damage:
                rows = self._sealed_games(damage)
        return tuple(
            GameLine(game_id=game_id, started_at_us=at_us, version=version)
            for game_id, at_us, version in rows
        )

    def _sealed_games(self, damage: sqlite3.DatabaseError) -> list[tuple[Any, ...]]:
        code = getattr(damage, "sqlite_errorcode", 0) & 0xFF
        if code != sqlite3.SQLITE_CORRUPT or not _has_seals(self._db):
            raise damage
        games = self._db.execute(
            "SELECT game_id, max(version) FROM seal GROUP BY game_id ORDER BY min(seq)"
        ).fetchall()
        return [(game_id, self._began_us(game_id), version) for game_id, version in games]

    def _began_us(self, game_id: str) -> int:
        """When a game began; 0 where that page is lost."""
        try:
            found = self._db.execute(
                "SELECT at_us FROM fact WHERE game_id = ? AND version = 1", (game_id,)
            ).fetchone()
        except sqlite3.DatabaseError:
            return 0
        return found[0] if found and isinstance(found[0], int) else 0

    def close(self) -> None:
        """Close the file and let the lock go. May be called twice."""
        with self._lock:
            self._db.close()
            self._let_go()

    def __enter__(self) -> SqliteLog:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _let_go(self) -> None:
        if self._hold is not None:
            os.close(self._hold)
            self._hold = None


def lock_path(path: Path) -> Path:
    """The file whose lock stands for writing the log at ``path``."""
    return path.with_name(path.name + ".lock")


def take_lock(path: Path) -> int:
    """The descriptor that holds the writer's lock until it is closed.

    Not the database itself: closing any descriptor of that file would drop SQLite's own
    locks on it (POSIX record locks belong to the process, not to the descriptor).
    """
    beside = lock_path(path)
    try:
        descriptor = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise _refused(path, error) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
        os.close(descriptor)
        if error.errno not in (errno.EAGAIN, errno.EACCES):
            raise _refused(path, error) from error
        whose = f"process {holder}" if holder else "another process"
        raise LogLocked(
            f"{path} is being written by {whose}: stop that kit, or name another file with --log"
        ) from error
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode("ascii"), 0)
    except OSError:
        pass  # the number only names the holder in a message; the lock itself is held
    return descriptor


def _refused(path: Path, error: OSError) -> LogError:
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return LogMissing(
                f"{path.parent} is not a folder that exists: make it, or name another file"
            )
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return LogReadOnly(
                f"{path} cannot be written ({error.strerror}): make its folder writable, "
                "or name a file elsewhere with --log"
            )
        case errno.ENOSPC | errno.EDQUOT:
            return LogFull(f"{path}: no room on the disk: free some space and start again")
        case _:
            return LogUnreadable(f"{path}: {error.strerror}: check the disk")


def _open(path: Path, *, read_only: bool, busy_ms: int) -> sqlite3.Connection:
    try:
        if stat.S_ISDIR(path.stat().st_mode):
            raise NotALog(f"{path} is a folder: name a file in it")
    except (FileNotFoundError, NotADirectoryError) as error:
        if read_only:
            raise LogMissing(
                f"{path} does not exist: upcard run writes one, --log names another"
            ) from error
    except OSError as error:  # a folder on the way that this user may not enter, say
        raise LogUnreadable(
            f"{path}: {error.strerror}: check the disk and the folder's rights"
        ) from error
    with _as_log_errors(path):
        if read_only:
            return _open_for_reading(path, busy_ms=busy_ms)
        _make_file(path)
        db = sqlite3.connect(
            path, timeout=busy_ms / 1000, isolation_level=None, check_same_thread=False
        )
        db.text_factory = _text
        try:
            _make_ready(db, path)
        except BaseException:
            db.close()
            raise
        return db


def _make_file(path: Path) -> None:
    """An empty file with the rights that the user's umask gives: SQLite's own would be 0644.

    On an installed kit a whole group may write; the files SQLite puts beside it follow its rights.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666))
    except OSError as error:
        raise _refused(path, error) from error


def _open_for_reading(path: Path, *, busy_ms: int) -> sqlite3.Connection:
    address = path.absolute().as_uri() + "?mode=ro"
    beside = path.with_name(path.name + "-wal")
    # A log that nobody has open, on a disk that cannot be written, has no files for SQLite
    # to share with a writer; then it can only be read as a file that does not change.
    addresses = [address] if beside.exists() else [address, address + "&immutable=1"]
    for last, attempt in enumerate(addresses, start=1):
        db = sqlite3.connect(
            attempt, uri=True, timeout=busy_ms / 1000, isolation_level=None,
            check_same_thread=False,
        )  # fmt: skip
        db.text_factory = _text
        try:
            if _is_new(db):
                raise NotALog(f"{path} is empty: no log was ever written there")
            _check_ours(db, path)
            return db
        except sqlite3.OperationalError as error:
            db.close()
            code = error.sqlite_errorcode & 0xFF
            if last == len(addresses) or code not in (
                sqlite3.SQLITE_CANTOPEN,
                sqlite3.SQLITE_READONLY,
            ):
                raise
        except BaseException:
            db.close()
            raise
    raise AssertionError(  # pragma: no cover - the last attempt returns or raises
        "one of the attempts returned or raised"
    )


def _make_ready(db: sqlite3.Connection, path: Path) -> None:
    new = _is_new(db)
    if not new:
        _check_ours(db, path)
        # Before an evening is written after it: a page that no longer hangs together gets worse
        # with every write. (Some 20 ms for a hundred games.)
        (verdict,) = db.execute("PRAGMA integrity_check(1)").fetchone()
        if verdict != "ok":
            where = _printable(str(verdict).splitlines()[-1])
            raise CorruptLog(f"{path} is damaged ({where}): {_CURE}")
    (mode,) = db.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise LogUnreadable(
            f"{path}: this disk allows no write-ahead log (mode {mode}): "
            "keep the log on a local disk, not on a network folder"
        )
    # FULL: a commit is on the disk, not only in its cache, before append returns.
    db.execute("PRAGMA synchronous = FULL")
    # On a log that is there, writing its own number again finds out whether it can be written:
    # SQLite opens, and even begins to write, a file that it may only read.
    with _transaction(db):
        for statement in (*_CREATE, *_SEALS) if new else (_SET_LAYOUT, *_SEALS):
            db.execute(statement)
        _seal_what_is_bare(db)


def _text(stored: bytes) -> str:
    """A damaged text comes back marked instead of ending the whole reading."""
    return stored.decode("utf-8", "surrogateescape")


def _printable(value: object) -> str:
    """As text that any terminal and file takes, damaged bytes written out."""
    return str(value).encode("utf-8", "backslashreplace").decode("utf-8")


def _crc(row: Sequence[Any]) -> int:
    """CRC-32 of a fact's eight columns, in the order of the table."""
    written = "\x1f".join(map(str, row))
    return zlib.crc32(written.encode("utf-8", "surrogateescape"))


def _seal(db: sqlite3.Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    db.executemany(
        "INSERT INTO seal (game_id, version, seq, crc) VALUES (?, ?, ?, ?)",
        [(row[1], row[2], row[0], _crc(row)) for row in rows],
    )


def _has_seals(db: sqlite3.Connection) -> bool:
    found = db.execute("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'seal'")
    return found.fetchone() is not None


def _seal_what_is_bare(db: sqlite3.Connection) -> None:
    """Give their seals to the facts of a log that an Upcard from before them wrote to."""
    facts, seals = db.execute(
        "SELECT (SELECT count(*) FROM fact), (SELECT count(*) FROM seal)"
    ).fetchone()
    if facts <= seals:
        return
    bare = db.execute(
        f"SELECT {', '.join('f.' + name for name in _COLUMNS.split(', '))} FROM fact AS f"
        " LEFT JOIN seal AS s ON s.game_id = f.game_id AND s.version = f.version"
        " WHERE s.version IS NULL"
    ).fetchall()
    _seal(db, bare)


def _is_new(db: sqlite3.Connection) -> bool:
    (tables,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    (mark,) = db.execute("PRAGMA application_id").fetchone()
    return bool(tables == 0 and mark == 0)


def _check_ours(db: sqlite3.Connection, path: Path) -> None:
    (mark,) = db.execute("PRAGMA application_id").fetchone()
    (layout,) = db.execute("PRAGMA user_version").fetchone()
    if mark != APPLICATION_ID:
        raise NotALog(f"{path} is a database of another program: name another file with --log")
    if layout > LAYOUT:
        raise NewerLog(
            f"{path} was written by a newer Upcard (layout {layout}, known here {LAYOUT}): "
            "install that version, the file is left as it is"
        )
    if not db.execute(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'fact'"
    ).fetchone():
        raise CorruptLog(f"{path} has no table of facts: restore a backup")


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # SQLite itself rolls back when the disk is full
            db.execute("ROLLBACK")
        raise


@contextmanager
def _as_log_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite raises into a LogError that names the file and the cure."""
    try:
        yield
    except sqlite3.Error as error:
        # A closed connection and the like carry no code.
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        raise _named(path, code, error) from error
    except UnicodeDecodeError as error:
        # SQLite's own complaint about a schema whose bytes are no text any more.
        raise CorruptLog(f"{path} is damaged (its schema is no text): {_CURE}") from error


def _named(path: Path, code: int, error: sqlite3.Error) -> LogError:
    match code:
        case sqlite3.SQLITE_FULL:
            return LogFull(
                f"{path}: no room on the disk: free some space; "
                "what was acknowledged is safe, this was not stored"
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return LogReadOnly(
                f"{path} cannot be written: make the file, its folder and its disk writable, "
                "or name another file with --log"
            )
        case sqlite3.SQLITE_NOTADB:
            return NotALog(f"{path} is no log (not a database): name another file with --log")
        case sqlite3.SQLITE_CORRUPT:
            return CorruptLog(f"{path} is damaged ({error}): {_CURE}")
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return LogLocked(f"{path} is held by another program: close what has the file open")
        case sqlite3.SQLITE_CONSTRAINT:
            return CorruptLog(f"{path} refuses the row: {error}")
        case _:
            return LogUnreadable(f"{path}: {error}: check the disk and the folder's rights")
