from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.clips import (
    BadClip,
    ClipEmpty,
    ClipMissing,
    ClipNotWritten,
    ClipSource,
    ClipTruncated,
    ClipWriter,
)
from vision.errors import VisionError
from vision.frame import Frame


def picture(number: int, *, width_px: int = 320, height_px: int = 180) -> np.ndarray:
    """A picture that tells its number by where a bright bar stands."""
    image = np.full((height_px, width_px, 3), (60, 95, 45), np.uint8)
    image[:, number % 30 * 10 : number % 30 * 10 + 10] = 230
    return image


def number_of(image: np.ndarray) -> int:
    return int(image[:, :300, 1].mean(axis=0).reshape(30, 10).mean(axis=1).argmax())


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., Path]:
    def write(name: str = "clip.mp4", *, frames: int = 24, fps: float = 12.0) -> Path:
        writer = ClipWriter(tmp_path / name, fps)
        for number in range(frames):
            at_us = 5_000_000 + round(number * 1e6 / fps)
            writer.write(Frame(at_us=at_us, image=picture(number)))
        writer.close()
        return tmp_path / name

    return write


@pytest.mark.parametrize("name", ["clip.mp4", "clip.avi"])
def test_what_is_recorded_is_read_back_with_its_stamps(record, name: str) -> None:
    frames = list(ClipSource(record(name)).frames())
    assert [number_of(frame.image) for frame in frames] == list(range(24))
    assert [frame.at_us for frame in frames] == [round(n * 1e6 / 12) for n in range(24)]


def test_a_recording_keeps_a_cards_fine_print(record, tmp_path: Path) -> None:
    image = picture(3)
    cv2.putText(image, "10 K Q", (20, 100), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (20, 20, 20), 1)
    writer = ClipWriter(tmp_path / "print.mp4", 10)
    for number in range(10):
        writer.write(Frame(at_us=number * 100_000, image=image))
    writer.close()
    *_, last = ClipSource(tmp_path / "print.mp4").frames()
    assert cv2.PSNR(last.image, image) > 30


def test_gaps_are_filled_and_crowds_thinned_so_that_the_clip_keeps_the_tables_time(
    tmp_path: Path,
) -> None:
    writer = ClipWriter(tmp_path / "clip.mp4", 10)
    for number, at_us in enumerate((0, 100_000, 130_000, 200_000, 700_000)):
        writer.write(Frame(at_us=at_us, image=picture(number)))
    writer.close()
    seen = [(f.at_us, number_of(f.image)) for f in ClipSource(tmp_path / "clip.mp4").frames()]
    assert seen[:3] == [(0, 0), (100_000, 1), (200_000, 3)]
    assert seen[-1] == (700_000, 4)
    assert [number for _, number in seen[3:-1]] == [3, 3, 3, 3]


def test_a_missing_clip_is_named(tmp_path: Path) -> None:
    with pytest.raises(ClipMissing, match=r"nowhere\.mp4"):
        ClipSource(tmp_path / "nowhere.mp4")


def test_an_empty_clip_is_named(tmp_path: Path) -> None:
    (tmp_path / "none.mp4").write_bytes(b"")
    with pytest.raises(ClipEmpty, match=r"none\.mp4"):
        ClipSource(tmp_path / "none.mp4")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("notes.mp4", b"Good evening, this is a text and no clip.\n" * 20),
        ("photo.mp4", b"\xff\xd8\xff\xe0" + b"0" * 400),
        ("noise.mp4", bytes(range(256)) * 4),
    ],
)
def test_a_file_that_is_no_clip_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadClip, match=name):
        ClipSource(tmp_path / name)


def test_a_folder_is_no_clip(tmp_path: Path) -> None:
    with pytest.raises(BadClip, match="folder"):
        ClipSource(tmp_path)


def test_a_clip_cut_before_its_index_says_so(record, tmp_path: Path) -> None:
    whole = record().read_bytes()
    (tmp_path / "cut.mp4").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ClipTruncated, match=r"cut\.mp4"):
        ClipSource(tmp_path / "cut.mp4")


def test_a_truncated_clip_yields_what_is_sound_and_then_says_so(record, tmp_path: Path) -> None:
    whole = record("clip.avi").read_bytes()
    (tmp_path / "cut.avi").write_bytes(whole[: len(whole) // 2])
    seen: list[int] = []
    frames = ClipSource(tmp_path / "cut.avi").frames()
    with pytest.raises(ClipTruncated, match="of 24"):
        seen.extend(number_of(frame.image) for frame in frames)
    assert seen == list(range(len(seen)))
    assert 5 <= len(seen) < 24


class _Capture:
    """Stands in for a decoder that gives these pictures at these times."""

    def __init__(self, frames: list[tuple[float, np.ndarray]]) -> None:
        self._frames = frames
        self._at_ms = 0.0

    def read(self) -> tuple[bool, np.ndarray | None]:
        if not self._frames:
            return False, None
        self._at_ms, image = self._frames.pop(0)
        return True, image

    def get(self, prop: int) -> float:
        return self._at_ms if prop == cv2.CAP_PROP_POS_MSEC else 0.0

    def release(self) -> None:
        pass


def test_frames_that_change_size_are_refused_by_name(record) -> None:
    source = ClipSource(record())
    source._capture = _Capture([(0.0, picture(0)), (100.0, picture(1, width_px=640))])
    with pytest.raises(BadClip, match="frame 2 is 640x180"):
        list(source.frames())


def test_stamps_that_run_backwards_are_refused_by_name(record) -> None:
    source = ClipSource(record())
    source._capture = _Capture([(0.0, picture(0)), (100.0, picture(1)), (50.0, picture(2))])
    seen = []
    with pytest.raises(BadClip, match="50000 us"):
        seen += [f.at_us for f in source.frames()]


def test_a_recording_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(ClipNotWritten, match="mp4 or"):
        ClipWriter(tmp_path / "clip.mkv", 10)
    with pytest.raises(ClipNotWritten, match="no folder"):
        ClipWriter(tmp_path / "nowhere" / "clip.mp4", 10)
    with pytest.raises(ClipNotWritten, match="a second"):
        ClipWriter(tmp_path / "clip.mp4", 0)


def test_every_fault_is_one_of_visions_and_a_builtin() -> None:
    for fault, builtin in (
        (ClipMissing, FileNotFoundError),
        (ClipEmpty, ValueError),
        (ClipTruncated, EOFError),
        (BadClip, ValueError),
        (ClipNotWritten, OSError),
    ):
        assert issubclass(fault, VisionError)
        assert issubclass(fault, builtin)
