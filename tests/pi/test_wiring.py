"""What the kit is put together from: clips, commands beside them, pace, and clear refusals."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.commands import StartGame
from engine.facts import Declared, GameStarted, PackShuffled
from engine.log import LogError
from pi.errors import BadSettings, NoPinFactory
from pi.recording import Recording, commands_path
from pi.settings import KitSettings
from pi.wiring import Pace, build
from vision.clips import ClipMissing
from vision.frame import Frame
from vision.ports import Box, CardReader, FrameSource


class BlindReader:
    """Sees no card anywhere."""

    def read(self, image: np.ndarray, regions: Sequence[Box] | None = None) -> tuple[()]:
        return ()


def blind(source: FrameSource) -> CardReader:
    return BlindReader()


SMALL: dict[str, Any] = {"speed": None, "width_px": 320, "height_px": 180}


def grey_clip(path: Path, *, seconds: int = 2) -> Path:
    recording = Recording(path, fps=10)
    for number in range(10 * seconds):
        image = np.full((180, 320, 3), 90, np.uint8)
        recording.frame(Frame(at_us=5_000_000 + number * 100_000, image=image))
    recording.close()
    return path


def test_a_recording_keeps_the_commands_on_the_clips_own_clock(tmp_path: Path) -> None:
    clip = tmp_path / "game.mp4"
    recording = Recording(clip, fps=10)
    recording.command(StartGame(dealer=2), source="page", at_us=4_900_000)
    image = np.full((180, 320, 3), 90, np.uint8)
    recording.frame(Frame(at_us=5_000_000, image=image))
    recording.command(StartGame(dealer=1), source="seat:1", at_us=5_700_000)
    recording.close()
    lines = [json.loads(line) for line in commands_path(clip).read_text().splitlines()]
    assert [(line["at_us"], line["source"], line["dealer"]) for line in lines] == [
        (0, "page", 2),
        (700_000, "seat:1", 1),
    ]


def test_a_clip_is_dated_from_now_and_begins_a_game_by_itself(tmp_path: Path) -> None:
    clip = grey_clip(tmp_path / "bare.mp4")
    settings = KitSettings(table="clip", clip=clip, rules="pub", **SMALL)
    with build(settings, reader_for=blind) as kit:
        kit.run()
        (started,) = kit.table.records
        assert isinstance(started.fact, GameStarted)
        assert started.fact.rules["preset"] == "pub"
        assert abs(started.at_us / 1e6 - time.time()) < 60
        assert kit.health()["frames"] == 20


def test_a_recorded_table_gives_the_same_commands_again(tmp_path: Path) -> None:
    clip = tmp_path / "sim.mp4"
    live = KitSettings(
        rules={"preset": "home", "target": 1}, seed=5, games=1, record=clip, fps=5, **SMALL
    )
    with build(live, reader_for=blind) as kit:
        kit.run()
        first = [(r.source, r.fact) for r in kit.table.records]
    assert any(isinstance(fact, Declared) for _, fact in first)
    with build(KitSettings(table="clip", clip=clip, **SMALL), reader_for=blind) as kit:
        kit.run()
        again = [(r.source, r.fact) for r in kit.table.records]
        assert kit.rejected == []
    assert again == first


def test_a_missing_clip_is_named(tmp_path: Path) -> None:
    settings = KitSettings(table="clip", clip=tmp_path / "gone.mp4", **SMALL)
    with pytest.raises(ClipMissing, match=r"gone\.mp4"):
        build(settings, reader_for=blind)


def test_a_pi_table_off_a_pi_is_refused_and_never_becomes_a_simulated_one(tmp_path: Path) -> None:
    from pi.errors import CameraMissing

    with pytest.raises((CameraMissing, NoPinFactory)):
        build(KitSettings(table="pi", log=tmp_path / "games.db"), reader_for=blind)
    # What was opened before is closed again: the log is free.
    with build(KitSettings(log=tmp_path / "games.db", **SMALL), reader_for=blind) as kit:
        assert kit.table.version == 0


def test_a_log_that_is_no_log_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "games.db").write_bytes(b"this is no database at all, but a note " * 50)
    with pytest.raises(LogError, match=r"games\.db"):
        build(KitSettings(log=tmp_path / "games.db", **SMALL), reader_for=blind)


def test_rules_the_players_do_not_know_are_refused_before_anything_runs() -> None:
    with pytest.raises(BadSettings, match="pack = 24"):
        build(KitSettings(rules="thirty_two", **SMALL), reader_for=blind)


class Clock:
    """A clock that waiting moves on."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.waits: list[float] = []

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now_s += seconds


def paced(speed: float | None, take: Callable[[Clock], None] = lambda clock: None) -> Clock:
    clock = Clock()
    pace = Pace(speed, wait=clock.wait, clock_s=lambda: clock.now_s)
    for number in range(5):
        pace.wait_for(number * 100_000)
        take(clock)
    return clock


def test_speed_is_the_pace_against_the_clock_on_the_wall() -> None:
    assert paced(1.0).now_s == pytest.approx(100.4)
    assert paced(4.0).now_s == pytest.approx(100.1)
    assert paced(None).waits == []


def test_work_between_frames_counts_into_the_pace() -> None:
    def work(clock: Clock) -> None:
        clock.now_s += 0.03

    clock = paced(1.0, work)
    assert clock.waits == pytest.approx([0.07] * 4)


def test_a_source_that_fell_behind_is_not_chased() -> None:
    stalls = iter([5.0, 0.0, 0.0, 0.0, 0.0])

    def stall(clock: Clock) -> None:
        clock.now_s += next(stalls)

    clock = paced(1.0, stall)
    assert clock.waits == pytest.approx([0.1] * 3)


def test_nothing_is_known_of_cards_nobody_saw(tmp_path: Path) -> None:
    """The blind kit plays a whole game and claims no card, no shuffle that did not happen."""
    settings = KitSettings(rules={"preset": "home", "target": 1}, seed=5, games=1, fps=2, **SMALL)
    with build(settings, reader_for=blind) as kit:
        kit.run()
        kinds = {type(r.fact) for r in kit.table.records}
        assert kinds <= {GameStarted, Declared, PackShuffled}
        assert kit.table.state.score == (0, 0)
