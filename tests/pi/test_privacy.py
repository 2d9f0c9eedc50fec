"""What is kept of a home, for how long, and that it goes when a game is deleted."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine import facts
from engine.log import Entry, UnknownGame
from engine.sqlite_log import SqliteLog
from pi.evidence import EvidenceFolder
from pi.privacy import Stored, delete_game, pictures_of, stored, tidy

DAY_S = 86_400
NOW_S = 1_800_000_000.0


def picture(seed: int) -> np.ndarray:
    small = np.random.default_rng(seed).integers(0, 255, (6, 5, 3), dtype=np.uint8)
    return np.asarray(cv2.resize(small, (60, 80), interpolation=cv2.INTER_CUBIC))


class Evening:
    """A log and its pictures: games that each rest on some."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "games.db"
        self.evidence = folder / "evidence"
        self.store = EvidenceFolder(self.evidence)

    def play(self, game_id: str, *names: str | None) -> None:
        start = facts.GameStarted(rules={"preset": "home"}, names=("A", "B", "C", "D"), dealer=0)
        made = [Entry(at_us=1, source="x", fact=start)]
        made += [
            Entry(
                at_us=2 + k,
                source="camera",
                fact=facts.CardPlayed(seat=k % 4, card="9h", evidence=name),
            )
            for k, name in enumerate(names)
        ]
        with SqliteLog(self.log) as log:
            log.append(game_id, made, after_version=0)

    def keep(self, seed: int, *, age_days: float = 2) -> str:
        name = self.store.keep(picture(seed))
        then = NOW_S - age_days * DAY_S
        os.utime(self.evidence / f"{name}.jpg", (then, then))
        return name

    def there(self) -> set[str]:
        return {path.stem for path in self.evidence.glob("*.jpg")}


@pytest.fixture
def evening(tmp_path: Path) -> Evening:
    return Evening(tmp_path)


def test_a_deleted_game_takes_its_pictures_with_it_but_not_those_of_others(
    evening: Evening,
) -> None:
    mine, shared, theirs = (evening.keep(seed) for seed in (1, 2, 3))
    evening.play("mine", mine, shared, None)
    evening.play("theirs", theirs, shared)
    with SqliteLog(evening.log) as log:
        gone = delete_game(log, "mine", evening.evidence)
        assert (gone.facts, gone.pictures) == (4, 1)
        assert [line.game_id for line in log.games()] == ["theirs"]
        assert pictures_of(log.read("theirs")) == {theirs, shared}
    assert evening.there() == {shared, theirs}


def test_a_game_that_is_not_there_takes_nothing(evening: Evening) -> None:
    evening.play("mine", evening.keep(1))
    with SqliteLog(evening.log) as log, pytest.raises(UnknownGame):
        delete_game(log, "yours", evening.evidence)
    assert len(evening.there()) == 1


def test_pictures_go_after_their_time(evening: Evening) -> None:
    old, young = evening.keep(1, age_days=31), evening.keep(2, age_days=29)
    evening.play("mine", old, young)
    assert tidy(evening.log, evening.evidence, keep_days=30, now_s=NOW_S) == 1
    assert evening.there() == {young}
    assert tidy(evening.log, evening.evidence, keep_days=30, now_s=NOW_S) == 0


def test_pictures_that_no_game_names_go_the_next_day(evening: Evening) -> None:
    named, orphan, fresh = evening.keep(1), evening.keep(2), evening.keep(3, age_days=0.5)
    evening.play("mine", named)
    aside = evening.evidence / ".0123.77"
    aside.write_bytes(b"half")
    os.utime(aside, (NOW_S - DAY_S, NOW_S - DAY_S))
    assert tidy(evening.log, evening.evidence, keep_days=30, now_s=NOW_S) == 2
    assert evening.there() == {named, fresh}
    assert orphan not in evening.there()
    assert not aside.exists()


def test_with_a_damaged_log_only_age_counts(evening: Evening) -> None:
    evening.play("mine", evening.keep(1))
    evening.keep(2)
    data = evening.log.read_bytes()
    evening.log.write_bytes(data.replace(b'"card":"9h"', b'"card":"Ah"'))
    assert tidy(evening.log, evening.evidence, keep_days=30, now_s=NOW_S) == 0
    assert tidy(evening.log, evening.evidence, keep_days=1, now_s=NOW_S) == 2


def test_a_strangers_file_is_never_removed(evening: Evening) -> None:
    evening.play("mine")
    stranger = evening.evidence / "holiday.jpg"
    stranger.write_bytes(b"sun")
    os.utime(stranger, (0, 0))
    assert tidy(evening.log, evening.evidence, keep_days=1, now_s=NOW_S) == 0
    assert stranger.exists()


def test_old_clips_go_too_and_what_is_stored_is_counted(evening: Evening) -> None:
    evening.play("mine", evening.keep(1, age_days=5))
    clips = evening.log.parent / "clips"
    clips.mkdir()
    for name, age_days in (("clip-20260101-200000.avi", 40), ("clip-20260201-200000-1.avi", 3)):
        (clips / name).write_bytes(b"x" * 1000)
        os.utime(clips / name, (NOW_S - age_days * DAY_S,) * 2)
    before = stored(evening.log, evening.evidence)
    assert (before.pictures, before.clips, before.clips_bytes) == (1, 2, 2000)
    assert before.oldest_s == pytest.approx(NOW_S - 5 * DAY_S)
    assert tidy(evening.log, evening.evidence, keep_days=30, now_s=NOW_S) == 1
    assert stored(evening.log, evening.evidence).clips == 1


def test_nothing_stored_is_nothing(tmp_path: Path) -> None:
    assert stored(tmp_path / "games.db", tmp_path / "evidence") == Stored(
        pictures=0, pictures_bytes=0, oldest_s=None, clips=0, clips_bytes=0
    )
    assert tidy(tmp_path / "games.db", tmp_path / "evidence", keep_days=1, now_s=NOW_S) == 0
