"""The last seconds in memory: small, recent, and on the disk only when somebody asks."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from pi.errors import RecordingFailed
from pi.ring import Ring
from vision.clips import ClipSource
from vision.frame import Frame

GREEN = (60, 120, 60)


def table(at_us: int, *, card_at: int | None = None, noise: int = 0) -> Frame:
    image = np.full((720, 1280, 3), GREEN, np.uint8)
    if noise:
        rough = np.random.default_rng(at_us).integers(-noise, noise + 1, image.shape)
        image = np.clip(image + rough, 0, 255).astype(np.uint8)
    if card_at is not None:
        image[300:400, card_at : card_at + 70] = 245
    return Frame(at_us=at_us, image=image)


def test_a_still_table_costs_one_still_a_second_though_the_sensor_is_noisy() -> None:
    ring = Ring(seconds=10)
    for number in range(100):
        ring.add(table(number * 100_000, noise=8))
    assert [still.at_us for still in ring.stills()] == [k * 1_000_000 for k in range(10)]


def test_every_frame_in_which_something_changed_is_kept() -> None:
    ring = Ring(seconds=10)
    ring.add(table(0))
    for number in range(1, 6):
        ring.add(table(number * 100_000, card_at=200 + 30 * number))
    assert [still.at_us for still in ring.stills()] == [k * 100_000 for k in range(6)]


def test_only_the_last_seconds_are_kept_and_they_are_small() -> None:
    ring = Ring(seconds=3)
    for number in range(100):
        ring.add(table(number * 100_000, card_at=number * 10))
    stills = ring.stills()
    assert stills[0].at_us == 6_900_000
    assert stills[-1].at_us == 9_900_000
    image = cv2.imdecode(np.frombuffer(stills[-1].jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    assert image.shape == (540, 960, 3)
    assert np.abs(image[10, 10].astype(int) - GREEN).max() < 8


def test_a_ring_of_no_seconds_keeps_nothing() -> None:
    ring = Ring(seconds=0)
    ring.add(table(0))
    assert ring.stills() == ()


def test_a_clip_is_written_when_asked_and_keeps_the_moments(tmp_path: Path) -> None:
    ring = Ring(seconds=10)
    start = 1_790_000_000_000_000
    for number in range(30):
        ring.add(table(start + number * 100_000, card_at=100 + 20 * number if number > 15 else 100))
    assert list(tmp_path.iterdir()) == []
    path = ring.write_clip(tmp_path / "clips", fps=10)
    again = ring.write_clip(tmp_path / "clips", fps=10)
    assert path != again
    assert path.name.startswith("clip-20260921-")
    source = ClipSource(path)
    frames = list(source.frames())
    source.close()
    assert len(frames) == 30
    # Moved by 20 pixels a frame in the table's picture, 15 in the clip's.
    left = [int(np.argmax(frame.image[262, :, 1] > 200)) for frame in frames[16:]]
    assert np.abs(np.diff(left) - 15).max() <= 2


def test_before_the_first_picture_there_is_no_clip(tmp_path: Path) -> None:
    with pytest.raises(RecordingFailed, match="no picture is in memory yet"):
        Ring(seconds=5).write_clip(tmp_path, fps=10)
