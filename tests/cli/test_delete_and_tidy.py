"""Words about what is stored: delete a game, tidy, copies by the day, saving a damaged log."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from engine import facts
from engine.backup import back_up_by_day
from engine.log import Entry
from engine.sqlite_log import SqliteLog
from pi.cli import main

PICTURE = "0123456789abcdef0123456789abcdef"


def run(capsys: Any, *argv: Any) -> tuple[int, str, str]:
    try:
        code = main([str(word) for word in argv])
    except SystemExit as leaving:
        code = int(leaving.code or 0)
    told = capsys.readouterr()
    assert "Traceback" not in told.err
    return code, told.out, told.err


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Two games; the second rests on a picture."""
    path = tmp_path / "games.db"
    with SqliteLog(path) as opened:
        for number, name in enumerate((None, PICTURE)):
            start = facts.GameStarted(
                rules={"preset": "home"}, names=("Ann", "Bob", "Cy", "Di"), dealer=0
            )
            play = facts.CardPlayed(seat=1, card="9h", evidence=name)
            entries = [
                Entry(at_us=number * 10 + k, source="x", fact=f)
                for k, f in enumerate((start, play))
            ]
            opened.append(f"game-{number}", entries, after_version=0)
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / f"{PICTURE}.jpg").write_bytes(b"a card")
    return path


def test_a_game_is_deleted_with_its_pictures(capsys: Any, log: Path) -> None:
    code, out, _ = run(capsys, "games", "--delete", "last", "--yes", "--log", log)
    assert code == 0
    assert "game-1 is deleted: 2 facts, 1 picture" in out
    assert "upcard backup" in out
    assert list((log.parent / "evidence").iterdir()) == []
    _, out, _ = run(capsys, "games", "--json", "--log", log)
    assert [json.loads(line)["game"] for line in out.splitlines()] == ["game-0"]


def test_without_yes_and_without_a_person_nothing_is_deleted(capsys: Any, log: Path) -> None:
    code, _, err = run(capsys, "games", "--delete", "game-0", "--log", log)
    assert code == 2
    assert "--yes" in err
    code, _, err = run(capsys, "games", "--delete", "nobody", "--yes", "--log", log)
    assert code == 1
    assert "nobody" in err
    with SqliteLog(log) as opened:
        assert len(opened.games()) == 2
        code, _, err = run(capsys, "games", "--delete", "game-0", "--yes", "--log", log)
        assert code == 1
        assert "stop that kit" in err


@pytest.mark.parametrize(("answer", "left"), [("n", 2), ("", 2), ("y", 1)])
def test_a_person_is_asked_and_may_think_again(
    capsys: Any, log: Path, monkeypatch: pytest.MonkeyPatch, answer: str, left: int
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda: answer)
    code, out, _ = run(capsys, "games", "--delete", "game-1", "--log", log)
    assert code == 0
    assert "for good? [y/N]" in out
    with SqliteLog(log, read_only=True) as opened:
        assert len(opened.games()) == left


def test_tidy_removes_old_pictures_and_says_how_many(capsys: Any, log: Path) -> None:
    picture = log.parent / "evidence" / f"{PICTURE}.jpg"
    then = time.time() - 40 * 86_400
    os.utime(picture, (then, then))
    assert run(capsys, "tidy", "--days", 50, "--log", log)[1].startswith("0 files")
    assert run(capsys, "tidy", "--log", log)[1].startswith(
        "1 files removed: pictures older than 30"
    )
    assert not picture.exists()
    assert run(capsys, "tidy", "--days", 0, "--log", log)[0] == 2


def test_copies_by_the_day_keep_the_newest(capsys: Any, log: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    assert run(capsys, "backup", "--keep", 3, folder, "--log", log)[0] == 1
    folder.mkdir()
    for day in range(1, 6):
        (folder / f"games-2025-01-0{day}.db").write_bytes(b"old")
    (folder / "holiday.db").write_bytes(b"not ours")
    code, out, _ = run(capsys, "backup", "--keep", 3, folder, "--log", log)
    assert code == 0
    assert "2 games, 3 kept" in out
    names = sorted(path.name for path in folder.iterdir())
    assert names[:2] == ["games-2025-01-04.db", "games-2025-01-05.db"]
    assert names[-1] == "holiday.db"
    assert len(names) == 4
    made = back_up_by_day(log, folder, keep=3)
    assert (made.games, made.kept) == (2, 3)
    assert run(capsys, "games", "--json", "--log", made.file)[1].count("game-") == 2
    assert run(capsys, "backup", "--keep", 0, folder, "--log", log)[0] == 2


def test_a_damaged_log_is_saved_by_one_word(capsys: Any, log: Path) -> None:
    log.write_bytes(log.read_bytes().replace(b'"evidence":"0123', b'"evidence":"9123', 1))
    code, out, err = run(capsys, "restore", "--salvage", "--log", log)
    assert code == 1
    assert "1 game saved" in out
    assert "games.before-" in out
    assert "game-1" in err
    code, out, _ = run(capsys, "restore", "--salvage", "--log", log)
    assert code == 0
    assert run(capsys, "restore", "--log", log)[0] == 2
    assert run(capsys, "restore", log, "--salvage", "--log", log)[0] == 2
