"""The log on disk: append-only for real, one writer, and every trouble named with its cure."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine import facts
from engine.log import Entry, LogError, UnknownGame
from engine.sqlite_log import (
    CorruptLog,
    LogFull,
    LogLocked,
    LogMissing,
    LogReadOnly,
    LogUnreadable,
    NewerLog,
    NotALog,
    SqliteLog,
    lock_path,
)

ROOT = Path(__file__).resolve().parents[2]


def started() -> Entry:
    fact = facts.GameStarted(rules={"preset": "home"}, names=("a", "b", "c", "d"), dealer=0)
    return Entry(at_us=1, source="director", fact=fact)


def ended(reason: str = "late") -> Entry:
    return Entry(at_us=2, source="director", fact=facts.GameEnded(reason=reason))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.upcard"


@pytest.fixture
def written(path: Path) -> Path:
    """A closed log with one game of three facts."""
    with SqliteLog(path) as log:
        log.append("g", [started(), ended("1"), ended("2")], after_version=0)
    return path


def test_a_game_is_there_after_the_log_was_closed_and_opened_again(written: Path) -> None:
    with SqliteLog(written) as log:
        assert [r.version for r in log.read("g")] == [1, 2, 3]
        log.append("g", [ended("3")], after_version=3)
    with SqliteLog(written) as log:
        assert [r.seq for r in log.read("g")] == [1, 2, 3, 4]


def test_a_commit_is_on_the_disk_before_it_is_acknowledged(written: Path) -> None:
    with SqliteLog(written) as log:
        assert log._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert log._db.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE fact SET body = '{}' WHERE seq = 2",
        "UPDATE OR REPLACE fact SET seq = 1 WHERE seq = 2",
        "DELETE FROM fact WHERE seq = 3",
        "DELETE FROM fact",
        # the version is taken
        "INSERT INTO fact VALUES (4, 'g', 3, 'game_ended', 1, 0, 'x', '{\"reason\":\"\"}')",
        "INSERT OR REPLACE INTO fact VALUES (4, 'g', 3, 'game_ended', 1, 0, 'x', '{}')",
        "INSERT OR IGNORE INTO fact VALUES (4, 'g', 3, 'game_ended', 1, 0, 'x', '{}')",
        "REPLACE INTO fact VALUES (4, 'g', 3, 'game_ended', 1, 0, 'x', '{}')",
        # the version is free but the row number is taken: this would delete row 1
        "INSERT OR REPLACE INTO fact VALUES (1, 'g', 4, 'game_ended', 1, 0, 'x', '{}')",
        "INSERT INTO fact VALUES (4, 'g', 2, 'x', 1, 0, 'x', '{}')"
        " ON CONFLICT (game_id, version) DO UPDATE SET body = 'changed'",
        # gaps
        "INSERT INTO fact VALUES (4, 'g', 5, 'game_ended', 1, 0, 'x', '{}')",
        "INSERT INTO fact VALUES (9, 'g', 4, 'game_ended', 1, 0, 'x', '{}')",
        "INSERT INTO fact VALUES (NULL, 'g', 4, 'game_ended', 1, 0, 'x', '{}')",
        "INSERT INTO fact VALUES (4, 'h', 2, 'game_started', 1, 0, 'x', '{}')",
        "INSERT INTO fact VALUES (4, 'h', 0, 'game_started', 1, 0, 'x', '{}')",
        # another type than the column's
        "INSERT INTO fact VALUES (4, 'g', 4, 'game_ended', 'one', 0, 'x', '{}')",
        "INSERT INTO fact VALUES (4, 'g', NULL, 'game_ended', 1, 0, 'x', '{}')",
    ],
)
def test_the_table_itself_refuses_changes_and_gaps(written: Path, statement: str) -> None:
    db = sqlite3.connect(written, isolation_level=None)
    before = db.execute("SELECT * FROM fact ORDER BY seq").fetchall()
    with pytest.raises(sqlite3.IntegrityError):
        db.execute(statement)
    assert db.execute("SELECT * FROM fact ORDER BY seq").fetchall() == before
    assert len(before) == 3
    db.execute("INSERT INTO fact VALUES (4, 'g', 4, 'game_ended', 1, 0, 'x', '{}')")
    db.close()


def test_a_second_kit_on_the_same_log_is_refused_and_told_who_has_it(path: Path) -> None:
    with SqliteLog(path) as first:
        with pytest.raises(LogLocked, match=f"{path.name}.*process {os.getpid()}.*--log"):
            SqliteLog(path)
        first.append("g", [started()], after_version=0)
    with SqliteLog(path) as again:
        assert len(again.read("g")) == 1


def test_the_lock_outlives_neither_a_close_nor_a_killed_process(path: Path) -> None:
    code = (
        "import sys\n"
        "from engine.sqlite_log import SqliteLog\n"
        "log = SqliteLog(sys.argv[1])\n"
        "print('open', flush=True)\n"
        "sys.stdin.read()\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == b"open\n"
        with pytest.raises(LogLocked, match=f"process {child.pid}"):
            SqliteLog(path)
        child.kill()
        child.wait()
        with SqliteLog(path) as log:
            log.append("g", [started()], after_version=0)
    finally:
        child.kill()
        child.communicate()


def test_readers_may_look_while_the_kit_writes(path: Path) -> None:
    with SqliteLog(path) as writer:
        writer.append("g", [started()], after_version=0)
        with SqliteLog(path, read_only=True) as reader:
            assert len(reader.read("g")) == 1
            writer.append("g", [ended()], after_version=1)
            assert len(reader.read("g")) == 2
            with pytest.raises(LogReadOnly, match="for reading only"):
                reader.append("g", [ended()], after_version=2)


def test_a_reader_leaves_no_lock_behind(written: Path) -> None:
    lock_path(written).unlink()
    with SqliteLog(written, read_only=True) as reader:
        assert len(reader.read("g")) == 3
    assert not lock_path(written).exists()


def test_a_log_is_read_without_waiting_for_a_writer_that_died_at_its_work(path: Path) -> None:
    code = (
        "import os, sys\n"
        "from engine import facts\n"
        "from engine.log import Entry\n"
        "from engine.sqlite_log import SqliteLog\n"
        "log = SqliteLog(sys.argv[1])\n"
        "log.append('g', [Entry(at_us=1, source='x', fact=facts.GameEnded(reason='r'))],\n"
        "           after_version=0)\n"
        "log._db.execute('BEGIN IMMEDIATE')\n"
        "log._db.execute(\"INSERT INTO fact VALUES (2,'g',2,'game_ended',1,0,'x','{}')\")\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], cwd=ROOT)
    assert done.returncode == -9
    with SqliteLog(path, read_only=True) as reader:
        assert [r.version for r in reader.read("g")] == [1]
    with SqliteLog(path) as log:
        assert [r.version for r in log.read("g")] == [1]


def test_threads_share_one_log(path: Path) -> None:
    failures: list[BaseException] = []
    with SqliteLog(path) as log:

        def writes(name: str) -> None:
            try:
                for version in range(20):
                    log.append(name, [ended(str(version))], after_version=version)
                    assert len(log.read(name)) == version + 1
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=writes, args=(f"game-{i}",)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        seqs = sorted(r.seq for line in log.games() for r in log.read(line.game_id))
    assert seqs == list(range(1, 81))


def test_a_full_disk_is_named_and_costs_nothing_acknowledged(path: Path) -> None:
    with SqliteLog(path) as log:
        log.append("g", [started()], after_version=0)
        (pages,) = log._db.execute("PRAGMA page_count").fetchone()
        log._db.execute(f"PRAGMA max_page_count = {pages + 2}")
        version = 1

        def fill_the_disk() -> None:
            nonlocal version
            while version < 500:
                log.append("g", [ended("x" * 900)], after_version=version)
                version += 1

        with pytest.raises(LogFull, match=r"games\.upcard.*free some space"):
            fill_the_disk()
        assert 1 < version < 500
        assert [r.version for r in log.read("g")] == list(range(1, version + 1))
        log._db.execute("PRAGMA max_page_count = 1000000")  # someone freed some space
        log.append("g", [ended()], after_version=version)
    with SqliteLog(path) as log:
        assert len(log.read("g")) == version + 1


def test_a_file_that_may_not_grow_is_an_error_with_a_name(path: Path) -> None:
    code = (
        "import resource, sys\n"
        "from engine import facts\n"
        "from engine.log import Entry, LogError\n"
        "from engine.sqlite_log import SqliteLog\n"
        "log = SqliteLog(sys.argv[1])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (120_000, 120_000))\n"
        "for version in range(10_000):\n"
        "    entry = Entry(at_us=1, source='x', fact=facts.GameEnded(reason='r' * 900))\n"
        "    try:\n"
        "        log.append('g', [entry], after_version=version)\n"
        "    except LogError as error:\n"
        "        print(version, type(error).__name__, sys.argv[1] in str(error), flush=True)\n"
        "        break\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    acknowledged, name, names_file = done.stdout.split()
    assert name in ("LogFull", "LogUnreadable")
    assert names_file == "True"
    assert int(acknowledged) > 3
    with SqliteLog(path, read_only=True) as log:
        assert len(log.read("g")) == int(acknowledged)


def test_a_disk_that_turns_read_only_is_named(path: Path) -> None:
    with SqliteLog(path) as log:
        log.append("g", [started()], after_version=0)
        log._db.execute("PRAGMA query_only = ON")
        with pytest.raises(LogReadOnly, match=r"games\.upcard cannot be written"):
            log.append("g", [ended()], after_version=1)
        log._db.execute("PRAGMA query_only = OFF")
        log.append("g", [ended()], after_version=1)
        assert len(log.read("g")) == 2


AS_NOBODY = """
import os, sys
from engine.log import LogError
from engine.sqlite_log import SqliteLog

if os.geteuid() == 0:  # root may write everywhere
    os.setuid(65534)
try:
    SqliteLog(sys.argv[1])
except LogError as error:
    print(type(error).__name__, error)
with SqliteLog(sys.argv[1], read_only=True) as log:
    print(len(log.read("g")), "facts")
"""


@pytest.mark.parametrize("locked", ["folder", "file"])
def test_a_log_that_cannot_be_written_is_named_at_once_and_can_be_read(
    locked: str,
) -> None:
    # A folder that another user can reach: pytest's own are closed to others.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log_file = folder / "games.upcard"
        with SqliteLog(log_file) as log:
            log.append("g", [started(), ended("1"), ended("2")], after_version=0)
        lock_path(log_file).unlink()
        log_file.chmod(0o444)
        folder.chmod(0o555 if locked == "folder" else 0o777)
        try:
            done = subprocess.run(
                [sys.executable, "-c", AS_NOBODY, str(log_file)],
                cwd=ROOT,
                capture_output=True,
                text=True,
            )
        finally:
            folder.chmod(0o700)
    refused, read = done.stdout.splitlines() or [done.stderr, ""]
    assert refused.startswith("LogReadOnly")
    assert str(log_file) in refused
    assert "writable" in refused
    assert read == "3 facts"


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o007, 0o660), (0o077, 0o600)])
def test_the_files_rights_are_those_of_the_umask(path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        with SqliteLog(path) as log:
            log.append("g", [started()], after_version=0)
            modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert set(modes.values()) == {mode}, modes
    assert len(modes) == 4, "the log, its lock, and SQLite's two beside it"


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(LogMissing, match="nowhere is not a folder"):
        SqliteLog(tmp_path / "nowhere" / "games.upcard")


def test_reading_a_log_that_is_not_there_does_not_make_one(path: Path) -> None:
    with pytest.raises(LogMissing, match="does not exist"):
        SqliteLog(path, read_only=True)
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path, read_only: bool) -> None:
    path.write_bytes(b"%PDF-1.7 " * 300)
    with pytest.raises(NotALog, match=r"games\.upcard is no log"):
        SqliteLog(path, read_only=read_only)
    assert path.read_bytes() == b"%PDF-1.7 " * 300


@pytest.mark.parametrize("read_only", [False, True])
def test_another_programs_database_is_refused_and_left_alone(path: Path, read_only: bool) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE fact (recipe TEXT)")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(NotALog, match="another program"):
        SqliteLog(path, read_only=read_only)
    assert path.read_bytes() == before


def test_a_folder_and_an_empty_file_are_no_logs_to_read(tmp_path: Path) -> None:
    with pytest.raises(NotALog, match="is a folder"):
        SqliteLog(tmp_path)
    empty = tmp_path / "empty"
    empty.touch()
    with pytest.raises(NotALog, match="is empty"):
        SqliteLog(empty, read_only=True)
    with SqliteLog(empty) as log:
        log.append("g", [started()], after_version=0)


@pytest.mark.parametrize("read_only", [False, True])
def test_a_log_of_a_newer_upcard_is_refused(written: Path, read_only: bool) -> None:
    db = sqlite3.connect(written)
    db.execute("PRAGMA user_version = 2")
    db.commit()
    db.close()
    with pytest.raises(NewerLog, match="layout 2, known here 1"):
        SqliteLog(written, read_only=read_only)


@pytest.mark.parametrize(
    ("kind", "schema", "body", "named"),
    [
        ("game_ended", 1, "{not json", "not JSON"),
        ("game_ended", 1, "[]", "object"),
        ("game_ended", 1, '{"reason": 5}', "reason: 5"),
        ("game_ended", 1, '{"reason": "x", "kind": "undo"}', "columns of their own"),
        ("game_ended", 9, '{"reason": "x"}', "schema 9"),
        ("card_eaten", 1, "{}", "card_eaten"),
    ],
)
def test_a_row_that_cannot_be_read_is_named_and_the_other_games_still_can(
    written: Path, kind: str, schema: int, body: str, named: str
) -> None:
    db = sqlite3.connect(written, isolation_level=None)
    db.execute("INSERT INTO fact VALUES (4, 'bad', 1, ?, ?, 0, 'x', ?)", (kind, schema, body))
    db.close()
    with SqliteLog(written) as log:
        with pytest.raises(CorruptLog, match=r"row 4 \(game bad, version 1") as caught:
            log.read("bad")
        assert named in str(caught.value)
        assert len(log.read("g")) == 3
        assert [line.game_id for line in log.games()] == ["g", "bad"]


def test_a_file_cut_short_is_an_error_of_ours(written: Path) -> None:
    whole = written.read_bytes()
    for length in range(0, len(whole), 997):
        written.write_bytes(whole[:length])
        # Anything but a LogError is the failure this test looks for.
        with contextlib.suppress(LogError), SqliteLog(written, read_only=True) as log:
            assert len(log.read("g")) <= 3


def test_a_closed_log_says_so_instead_of_writing(path: Path) -> None:
    log = SqliteLog(path)
    log.close()
    log.close()
    with pytest.raises(LogError, match="closed"):
        log.append("g", [started()], after_version=0)


def test_every_log_error_is_also_a_builtin_of_its_sort() -> None:
    assert issubclass(LogFull, OSError)
    assert issubclass(LogReadOnly, PermissionError)
    assert issubclass(LogMissing, FileNotFoundError)
    assert issubclass(CorruptLog, ValueError)
    assert issubclass(LogLocked, BlockingIOError)


# --- what a disk and a system may answer, each by its name --------------------------------------

TROUBLES = [
    (errno.ENOENT, LogMissing, "is not a folder that exists"),
    (errno.EACCES, LogReadOnly, "make its folder writable"),
    (errno.EROFS, LogReadOnly, "make its folder writable"),
    (errno.ENOSPC, LogFull, "free some space"),
    (errno.EIO, LogUnreadable, "check the disk"),
]


@pytest.mark.parametrize("refuses", ["games.upcard.lock", "games.upcard"])
@pytest.mark.parametrize(("number", "error", "cure"), TROUBLES)
def test_a_file_that_the_system_refuses_is_named_with_the_cure(
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    refuses: str,
    number: int,
    error: type[LogError],
    cure: str,
) -> None:
    really = os.open

    def opens(name: Any, *args: Any) -> int:
        if Path(name).name == refuses:
            raise OSError(number, os.strerror(number))
        return really(name, *args)

    monkeypatch.setattr(os, "open", opens)
    with pytest.raises(error, match=cure) as caught:
        SqliteLog(path)
    assert str(path.parent) in str(caught.value)
    monkeypatch.undo()
    with SqliteLog(path) as log:  # and nothing holds it
        assert log.games() == ()


def test_a_disk_that_keeps_no_locks_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: Any) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuses)
    with pytest.raises(LogUnreadable, match="check the disk"):
        SqliteLog(path)


def test_a_lock_without_its_holders_number_holds_all_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", refuses)
    with (
        SqliteLog(path),
        pytest.raises(LogLocked, match="is being written by another process"),
    ):
        SqliteLog(path)


class _NoWal(sqlite3.Connection):
    """SQLite on a disk, such as a network folder, that cannot share memory between processes."""

    def execute(self, sql: str, *args: Any) -> Any:
        if sql == "PRAGMA journal_mode = WAL":
            sql = "PRAGMA journal_mode"
        return super().execute(sql, *args)


def test_a_disk_without_write_ahead_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", partial(connect, factory=_NoWal))
    with pytest.raises(LogUnreadable, match="keep the log on a local disk"):
        SqliteLog(path)


def test_a_file_that_another_program_holds_is_named(written: Path) -> None:
    other = sqlite3.connect(written, isolation_level=None)
    with contextlib.closing(other), SqliteLog(written, busy_ms=1) as log:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LogLocked, match="close what has the file open"):
            log.append("g", [ended()], after_version=3)
        other.execute("ROLLBACK")
        assert log.append("g", [ended()], after_version=3)[0].version == 4


def test_a_row_that_the_file_itself_refuses_is_named(written: Path) -> None:
    with contextlib.closing(sqlite3.connect(written, isolation_level=None)) as other:
        other.execute(
            "CREATE TRIGGER no BEFORE INSERT ON fact BEGIN SELECT RAISE(ABORT, 'not now'); END"
        )
    with SqliteLog(written) as log:
        with pytest.raises(CorruptLog, match="refuses the row: not now"):
            log.append("g", [ended()], after_version=3)
        assert len(log.read("g")) == 3


def test_a_transaction_that_the_file_itself_ends_is_named_and_stores_nothing(written: Path) -> None:
    with SqliteLog(written) as log:
        log._db.execute(
            "CREATE TEMP TRIGGER ends AFTER INSERT ON main.fact WHEN NEW.source = 'last'"
            " BEGIN SELECT RAISE(ROLLBACK, 'no more'); END"
        )
        last = Entry(at_us=3, source="last", fact=ended().fact)
        with pytest.raises(CorruptLog, match=r"games\.upcard refuses the row: no more"):
            log.append("g", [ended(), last], after_version=3)
        assert len(log.read("g")) == 3
        log.append("g", [ended()], after_version=3)
    with SqliteLog(written) as log:
        assert len(log.read("g")) == 4


def test_a_schema_that_is_no_text_any_more_is_damage(written: Path) -> None:
    whole = written.read_bytes()
    assert whole.count(b"CREATE TABLE fact (") == 1
    written.write_bytes(whole.replace(b"CREATE TABLE fact (", b"CREATE TABLE fact \xff"))
    for read_only in (True, False):
        with pytest.raises(CorruptLog, match=r"games\.upcard is damaged \(its schema is no text"):
            SqliteLog(written, read_only=read_only)


@contextlib.contextmanager
def as_nobody() -> Iterator[None]:
    """In this process, with the rights of a user who owns nothing (root may write everywhere)."""
    was_root = os.geteuid() == 0
    if was_root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if was_root:
            os.seteuid(0)


def test_a_log_in_a_folder_that_cannot_be_written_is_read_as_a_file_that_stands_still() -> None:
    # A folder that another user can reach: pytest's own are closed to others.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log_file = folder / "games.upcard"
        with SqliteLog(log_file) as log:
            log.append("g", [started(), ended("1"), ended("2")], after_version=0)
        empty = folder / "empty.upcard"
        with contextlib.closing(sqlite3.connect(empty)) as other:
            other.execute("PRAGMA journal_mode = WAL")
        lock_path(log_file).unlink()
        log_file.chmod(0o444)
        folder.chmod(0o555)
        try:
            with as_nobody():
                with SqliteLog(log_file, read_only=True) as log:
                    assert [r.version for r in log.read("g")] == [1, 2, 3]
                with pytest.raises(NotALog, match=r"empty\.upcard is empty"):
                    SqliteLog(empty, read_only=True)
        finally:
            folder.chmod(0o700)


@pytest.mark.parametrize("closed", ["folder", "file"])
def test_a_log_that_its_reader_may_not_open_is_named_with_the_cure(closed: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "closed"
        Path(name).chmod(0o755)
        folder.mkdir()
        log_file = folder / "games.upcard"
        SqliteLog(log_file).close()
        log_file.chmod(0o000 if closed == "file" else 0o644)
        folder.chmod(0o000 if closed == "folder" else 0o755)
        try:
            with (
                as_nobody(),
                pytest.raises(LogUnreadable, match=r"games\.upcard: .*the folder's rights"),
            ):
                SqliteLog(log_file, read_only=True)
        finally:
            folder.chmod(0o700)


def test_a_database_of_ours_without_its_table_is_damage(written: Path) -> None:
    with contextlib.closing(sqlite3.connect(written, isolation_level=None)) as other:
        other.execute("DROP TABLE fact")
    for read_only in (True, False):
        with pytest.raises(CorruptLog, match="has no table of facts: restore a backup"):
            SqliteLog(written, read_only=read_only)


def test_a_game_that_is_not_there_is_not_erased_and_the_file_keeps_its_guards(
    written: Path,
) -> None:
    with SqliteLog(written) as log:
        with pytest.raises(UnknownGame, match="no game 'h' in"):
            log.erase("h")
        with pytest.raises(sqlite3.IntegrityError, match="facts are never deleted"):
            log._db.execute("DELETE FROM fact")
        assert len(log.read("g")) == 3


def test_a_file_that_another_program_keeps_to_itself_is_named_to_its_reader(written: Path) -> None:
    with contextlib.closing(sqlite3.connect(written, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LogLocked, match="close what has the file open"):
            SqliteLog(written, read_only=True, busy_ms=50)
        other.execute("ROLLBACK")


def test_a_log_opened_to_be_read_erases_nothing(written: Path) -> None:
    with SqliteLog(written, read_only=True) as log:
        with pytest.raises(LogReadOnly, match="nothing is erased"):
            log.erase("g")
        with pytest.raises(LogReadOnly, match="nothing is appended"):
            log.append("g", [ended()], after_version=3)
        assert len(log.read("g")) == 3


def tampered(path: Path, *statements: str) -> None:
    """The file as another program, which knows nothing of our triggers, leaves it."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        for (name,) in other.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'"):
            other.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            other.execute(statement)


@pytest.mark.parametrize(
    ("statements", "says"),
    [
        (["DELETE FROM fact WHERE version = 2"], "has no version 2"),
        (["DELETE FROM fact WHERE version = 3"], "has no version 3"),
        (["UPDATE fact SET source = 'y' WHERE version = 2"], "it is not what was written"),
        (
            ["UPDATE fact SET game_id = 'h', version = 1 WHERE version = 3"],
            "it was written for another game",
        ),
    ],
    ids=["lost-in-the-middle", "lost-at-the-end", "changed", "gone-astray"],
)
def test_a_game_that_lost_a_fact_says_which(
    written: Path, statements: list[str], says: str
) -> None:
    tampered(written, *statements)
    with SqliteLog(written, read_only=True) as log:
        newest = log.games()[-1].game_id
        with pytest.raises(CorruptLog, match=says):
            log.read(newest)


def test_a_game_whose_facts_are_all_gone_is_not_begun_again(written: Path) -> None:
    tampered(written, "DELETE FROM fact")
    with SqliteLog(written) as log, pytest.raises(CorruptLog, match="has no version 1"):
        log.append("g", [started()], after_version=0)


LOOSE = """
    CREATE TABLE loose ({columns});
    INSERT INTO loose SELECT * FROM {table};
    DROP TABLE {table};
    ALTER TABLE loose RENAME TO {table};
    UPDATE {table} SET {column} = {value} WHERE version = 2
"""


@pytest.mark.parametrize(
    ("table", "columns", "column", "value", "says"),
    [
        (
            "fact",
            "seq, game_id, version, kind, schema, at_us, source, body",
            "at_us",
            "CAST(at_us AS TEXT)",
            r"row 2 \(game g, version 2.* its columns are of other types",
        ),
        (
            "seal",
            "game_id, version, seq, crc",
            "version",
            "'two'",
            "the seals of game g are damaged: restore a backup",
        ),
    ],
    ids=["a-fact", "a-seal"],
)
def test_a_value_of_another_type_is_damage_and_named(
    written: Path, table: str, columns: str, column: str, value: str, says: str
) -> None:
    # Our tables would refuse it: another program has made them looser ones.
    loose = LOOSE.format(table=table, columns=columns, column=column, value=value)
    tampered(written, *loose.split(";"))
    with (
        SqliteLog(written, read_only=True) as log,
        pytest.raises(CorruptLog, match=says) as caught,
    ):
        log.read("g")
    assert str(written) in str(caught.value)


def test_a_log_without_seals_is_read_as_it_stands(written: Path) -> None:
    tampered(written, "DROP TABLE seal")
    with SqliteLog(written, read_only=True) as log:
        assert [r.version for r in log.read("g")] == [1, 2, 3]


def test_a_closed_log_answers_no_question_either(written: Path) -> None:
    log = SqliteLog(written)
    log.close()
    for asks in (log.games, lambda: log.read("g"), lambda: log.erase("g")):
        with pytest.raises(LogError, match="closed"):
            asks()
