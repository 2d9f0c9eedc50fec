"""A camera that was bumped is noticed; cards, hands and lamps are not taken for that."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.frame import Frame, Image
from vision.landmarks import BumpWatch, Landmarks, from_plain, landmarks_in, moved_share, to_plain

NOISE = np.random.default_rng(11).normal(0, 4, (720, 1280, 3)).astype(np.int16)


def scene(seed: int = 3) -> Image:
    rng = np.random.default_rng(seed)
    image = np.full((720, 1280, 3), (70, 90, 60), np.uint8)
    for _ in range(160):
        x, y = int(rng.integers(0, 1240)), int(rng.integers(0, 690))
        w, h = int(rng.integers(8, 60)), int(rng.integers(8, 40))
        colour = tuple(int(v) for v in rng.integers(0, 255, 3))
        cv2.rectangle(image, (x, y), (x + w, y + h), colour, -1)
    return image


def noisy(image: Image) -> Image:
    return cv2.add(image, NOISE, dtype=cv2.CV_8U)


def shifted(image: Image, *, right_px: float = 0.0, turn_deg: float = 0.0) -> Image:
    matrix = cv2.getRotationMatrix2D((640, 360), turn_deg, 1.0)
    matrix[0, 2] += right_px
    return np.asarray(cv2.warpAffine(image, matrix, (1280, 720)), np.uint8)


def watched(watch: BumpWatch, image: Image, *, from_s: int, seconds: int) -> list[str]:
    said = []
    for at_s in range(from_s, from_s + seconds, 5):
        news = watch.see(Frame(at_us=at_s * 1_000_000, image=noisy(image)))
        if news is not None:
            said.append(news)
    return said


def test_a_camera_left_alone_is_in_place() -> None:
    watch = BumpWatch(landmarks_in(scene()))
    assert watch.state == "unknown"
    assert watched(watch, scene(), from_s=0, seconds=40) == ["in_place"]


@pytest.mark.parametrize("bump", [{"right_px": 30.0}, {"turn_deg": 2.0}, {"right_px": -400.0}])
def test_a_bump_is_noticed_after_some_seconds_and_forgiven_when_put_back(
    bump: dict[str, float],
) -> None:
    watch = BumpWatch(landmarks_in(scene()))
    watched(watch, scene(), from_s=0, seconds=10)
    assert watched(watch, shifted(scene(), **bump), from_s=10, seconds=10) == []
    assert watched(watch, shifted(scene(), **bump), from_s=20, seconds=20) == ["moved"]
    assert watched(watch, scene(), from_s=40, seconds=10) == ["in_place"]


def test_a_table_that_was_shaken_for_a_moment_is_not_moved() -> None:
    watch = BumpWatch(landmarks_in(scene()))
    watched(watch, scene(), from_s=0, seconds=10)
    assert watched(watch, shifted(scene(), right_px=40), from_s=10, seconds=6) == []
    assert watched(watch, scene(), from_s=16, seconds=30) == []
    assert watch.state == "in_place"


def test_cards_hands_and_a_dimmed_lamp_are_no_bump() -> None:
    watch = BumpWatch(landmarks_in(scene()))
    watched(watch, scene(), from_s=0, seconds=10)
    busy = scene()
    cv2.rectangle(busy, (300, 100), (900, 640), (235, 235, 235), -1)
    cv2.ellipse(busy, (1000, 500), (280, 120), 30, 0, 360, (120, 150, 205), -1)
    assert watched(watch, busy, from_s=10, seconds=30) == []
    assert watched(watch, (scene() * 0.45).astype(np.uint8), from_s=40, seconds=30) == []
    assert watch.state == "in_place"


def test_a_picture_with_nothing_to_know_it_by_says_nothing() -> None:
    plain = np.full((720, 1280, 3), 90, np.uint8)
    known = landmarks_in(plain)
    assert not known.enough
    assert moved_share(known, scene()) is None
    watch = BumpWatch(landmarks_in(scene()))
    assert watched(watch, plain, from_s=0, seconds=60) == []
    assert watch.state == "unknown"


def test_marks_that_will_be_taken_away_are_not_among_the_landmarks() -> None:
    outline = np.array([(400.0, 100.0), (900.0, 100.0), (900.0, 600.0), (400.0, 600.0)])
    known = landmarks_in(scene(), without=[outline])
    inside = (
        (known.points[:, 0] > 206)
        & (known.points[:, 0] < 444)
        & (known.points[:, 1] > 56)
        & (known.points[:, 1] < 294)
    )
    assert known.enough
    assert not inside.any()


def test_landmarks_survive_being_written_down() -> None:
    known = landmarks_in(scene())
    again = from_plain(to_plain(known))
    assert isinstance(again, Landmarks)
    assert (again.words == known.words).all()
    assert moved_share(again, scene()) == pytest.approx(0.0, abs=0.002)
