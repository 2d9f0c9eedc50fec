"""A log on a failing card: what can be read is what was written, the rest is named, or refused.

Every trial damages the file the way cards do (a flipped bit, a sector of zeros, a page half old
and half new, a file cut short) at a random place, and then reads every game. A game is either
exactly what was acknowledged or a LogError that names it; nothing is guessed and no other
exception leaves the log. More trials by command: UPCARD_DAMAGE=5000.
"""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import facts
from engine.backup import salvage
from engine.log import Entry, LogError, UnknownGame
from engine.sqlite_log import CorruptLog, LogLocked, LogReadOnly, NotALog, SqliteLog

TRIALS = int(os.environ.get("UPCARD_DAMAGE", "120"))
PAGE = 4096
CARDS = ("9h", "Th", "Jh", "Qh", "Kh", "Ah", "9s", "Ts", "Js", "Qs")


def entries(game: int, count: int) -> list[Entry]:
    start = facts.GameStarted(
        rules={"preset": "home"}, names=("Ann", "Bob", "Cy", "Di"), dealer=game % 4
    )
    made = [Entry(at_us=game * 10**9, source="director", fact=start)]
    for number in range(1, count):
        play = facts.CardPlayed(seat=number % 4, card=CARDS[(game + number) % len(CARDS)])
        made.append(Entry(at_us=game * 10**9 + number, source="camera", fact=play))
    return made


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "games.upcard"
    with SqliteLog(path) as log:
        for game in range(8):
            facts_of_it = entries(game, 40)
            for at in range(0, 40, 8):
                log.append(f"game-{game}", facts_of_it[at : at + 8], after_version=at)
    return path


def flip_a_bit(data: bytearray, chance: random.Random) -> None:
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def zero_a_sector(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(len(data) // 512) * 512
    data[at : at + 512] = bytes(512)


def tear_a_page(data: bytearray, chance: random.Random) -> None:
    """Half of a page as it was, half as another page is: a write that power cut in two."""
    pages = len(data) // PAGE
    to, source = chance.randrange(pages), chance.randrange(pages)
    half = chance.randrange(1, 8) * 512
    data[to * PAGE + half : (to + 1) * PAGE] = data[source * PAGE + half : (source + 1) * PAGE]


def cut_short(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(len(data)) :]


DAMAGES: tuple[Callable[[bytearray, random.Random], None], ...] = (
    flip_a_bit,
    zero_a_sector,
    tear_a_page,
    cut_short,
)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("writing", [False, True], ids=["read", "written"])
def test_a_damaged_log_is_read_as_it_was_written_or_not_at_all(
    whole: Path, tmp_path: Path, damage: Callable[[bytearray, random.Random], None], writing: bool
) -> None:
    with SqliteLog(whole, read_only=True) as log:
        truth = {line.game_id: log.read(line.game_id) for line in log.games()}
    original = whole.read_bytes()
    read = 0
    named: list[tuple[Path, str]] = []
    for trial in range(TRIALS // 4):
        chance = random.Random(f"{damage.__name__}-{trial}")
        data = bytearray(original)
        damage(data, chance)
        path = tmp_path / f"{trial}.upcard"
        path.write_bytes(data)
        try:
            log = SqliteLog(path, read_only=not writing)
        except LogError as error:
            named.append((path, str(error)))
            continue
        with log:
            for game_id, wanted in truth.items():
                try:
                    found = log.read(game_id)
                except UnknownGame:
                    # Cut short where SQLite still sees a smaller file that hangs together.
                    assert len(data) < len(original)
                except LogError as error:
                    named.append((path, str(error)))
                else:
                    assert found == wanted, f"trial {trial}: {game_id} was read as something else"
                    read += 1
            try:
                listed = {line.game_id for line in log.games()}
            except LogError:
                continue
            # A name that damage made up is no game.
            for stranger in listed - truth.keys():
                with pytest.raises(LogError):
                    log.read(stranger)
    # To be written to, a file must hang together as a whole; to be read, only in places.
    assert read or writing, "no trial left a game that can be read: the damage is too much to judge"
    assert all(str(path) in said and said.encode("utf-8") for path, said in named)
    assert named, "no trial was noticed: the damage is too little to judge"


def test_a_flipped_letter_of_a_card_is_named_and_not_believed(whole: Path, tmp_path: Path) -> None:
    data = whole.read_bytes()
    assert b'"card":"Kh"' in data
    path = tmp_path / "games.upcard"
    path.write_bytes(data.replace(b'"card":"Kh"', b'"card":"Qh"', 1))
    damaged = []
    with SqliteLog(path) as log:
        for line in log.games():
            try:
                log.read(line.game_id)
            except CorruptLog as error:
                damaged.append(str(error))
    assert len(damaged) == 1
    assert "not what was written" in damaged[0]
    assert "--salvage" in damaged[0]


def test_a_tail_that_was_lost_is_missed(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "games.upcard"
    path.write_bytes(whole.read_bytes())
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("DROP TRIGGER fact_is_never_deleted")
    db.execute("DELETE FROM fact WHERE game_id = 'game-7' AND version > 33")
    db.close()
    with SqliteLog(path) as log:
        with pytest.raises(CorruptLog, match="game-7 has no version 34"):
            log.read("game-7")
        with pytest.raises(CorruptLog, match="game-7 has no version 34"):
            log.append("game-7", entries(7, 40)[33:], after_version=33)
        assert len(log.read("game-6")) == 40


def test_a_torn_write_ahead_log_leaves_a_whole_beginning(tmp_path: Path) -> None:
    """Power goes while the write-ahead log is written: what is left is a prefix, never a mix."""
    path = tmp_path / "games.upcard"
    log = SqliteLog(path)
    log._db.execute("PRAGMA wal_autocheckpoint = 0")
    for number, entry in enumerate(entries(0, 40)):
        log.append("g", [entry], after_version=number)
    wanted = log.read("g")
    wal = path.with_name(path.name + "-wal").read_bytes()
    data = path.read_bytes()
    log.close()
    lengths = set()
    for trial in range(30):
        chance = random.Random(trial)
        torn = bytearray(wal)
        (cut_short if trial % 2 else flip_a_bit)(torn, chance)
        copy = tmp_path / f"{trial}.upcard"
        copy.write_bytes(data)
        copy.with_name(copy.name + "-wal").write_bytes(torn)
        with SqliteLog(copy) as again:
            found = again.read("g") if again.games() else ()
            assert found == wanted[: len(found)]
            again.append("new", entries(1, 3), after_version=0)
            assert len(again.read("new")) == 3
        lengths.add(len(found))
    assert len(lengths) > 5, "the tears all fell in one place"


def test_an_upcard_from_before_the_seals_may_write_in_between(tmp_path: Path) -> None:
    path = tmp_path / "games.upcard"
    with SqliteLog(path) as log:
        log.append("g", entries(0, 3), after_version=0)
    db = sqlite3.connect(path, isolation_level=None)
    body = '{"reason":"late"}'
    db.execute("INSERT INTO fact VALUES (4, 'g', 4, 'game_ended', 1, 5, 'director', ?)", (body,))
    db.close()
    with SqliteLog(path, read_only=True) as log:
        assert len(log.read("g")) == 4
    SqliteLog(path).close()  # now it has its seal
    path.write_bytes(path.read_bytes().replace(b'{"reason":"late"}', b'{"reason":"fate"}'))
    with SqliteLog(path) as log, pytest.raises(CorruptLog, match="row 4"):
        log.read("g")


def test_a_log_from_before_the_seals_is_read_and_then_sealed(tmp_path: Path) -> None:
    path = tmp_path / "games.upcard"
    with SqliteLog(path) as log:
        log.append("g", entries(0, 5), after_version=0)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("DROP TABLE seal")
    db.close()
    with SqliteLog(path, read_only=True) as log:
        assert len(log.read("g")) == 5
    with SqliteLog(path) as log:
        assert len(log.read("g")) == 5
        assert log._db.execute("SELECT count(*) FROM seal").fetchone() == (5,)


def test_what_can_be_read_is_saved_and_the_damaged_file_is_kept(
    whole: Path, tmp_path: Path
) -> None:
    path = tmp_path / "games.upcard"
    path.write_bytes(whole.read_bytes().replace(b'"card":"Kh"', b'"card":"Qh"', 1))
    damaged = path.read_bytes()
    saved = salvage(path)
    assert saved.games == 7
    assert len(saved.lost) == 1
    assert "row" in saved.lost[0]
    assert saved.kept is not None
    assert saved.kept.read_bytes() == damaged
    with SqliteLog(whole, read_only=True) as before, SqliteLog(path) as after:
        for line in after.games():
            wanted = [(r.version, r.at_us, r.source, r.fact) for r in before.read(line.game_id)]
            found = [(r.version, r.at_us, r.source, r.fact) for r in after.read(line.game_id)]
            assert found == wanted
    again = salvage(path)
    assert (again.games, again.lost) == (7, ())


def test_a_log_in_use_is_not_salvaged_and_noise_is_left_alone(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "games.upcard"
    path.write_bytes(whole.read_bytes())
    with SqliteLog(path), pytest.raises(LogLocked):
        salvage(path)
    noise = tmp_path / "noise.upcard"
    noise.write_bytes(b"nothing that was ever a log " * 300)
    with pytest.raises(NotALog):
        salvage(noise)
    assert noise.read_bytes() == b"nothing that was ever a log " * 300
    assert not list(tmp_path.glob("*.salvaging*"))


def test_an_erased_game_is_gone_and_nothing_of_it_is_left_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "games.upcard"
    secret = facts.GameStarted(
        rules={"preset": "home"}, names=("Zebulon", "Bob", "Cy", "Di"), dealer=0
    )
    with SqliteLog(path) as log:
        log.append("first", entries(0, 20), after_version=0)
        log.append("private", [Entry(at_us=1, source="x", fact=secret)], after_version=0)
        log.append("last", entries(2, 20), after_version=0)
        kept = log.read("last")
        assert log.erase("private") == 1
        with pytest.raises(UnknownGame):
            log.read("private")
        with pytest.raises(UnknownGame, match="nobody"):
            log.erase("nobody")
        assert [line.game_id for line in log.games()] == ["first", "last"]
        assert log.read("last") == kept
        log.append("last", entries(2, 21)[20:], after_version=20)
        for statement in ("DELETE FROM fact", "DELETE FROM seal", "UPDATE seal SET crc = 0"):
            with pytest.raises(sqlite3.IntegrityError):
                log._db.execute(statement)
        with SqliteLog(path, read_only=True) as reader, pytest.raises(LogReadOnly):
            reader.erase("first")
        for file in tmp_path.iterdir():
            assert b"Zebulon" not in file.read_bytes(), file.name
    with SqliteLog(path) as log:
        assert log._db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert len(log.read("last")) == 21
