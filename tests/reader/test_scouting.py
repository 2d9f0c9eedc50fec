"""The scout says where the finder looks: windows that hold every mark, at a scale that suits it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import models
from engine.cards import Card
from pi.sim.faces import face_pixels
from vision.find import Look, full_looks, spots_of
from vision.frame import Image
from vision.ports import Detection
from vision.reader import STILL_SIDES_PX, VIDEO_SIDES_PX, Reader, load_reader
from vision.scout import Mark, finer_look, windows

FRAME = (1920, 1080)
WHOLE, COARSE = full_looks(*FRAME, VIDEO_SIDES_PX)


def mark(x: float, y: float, size_px: float = 24.0) -> Mark:
    return Mark(kind="index", x0=x - 16, y0=y - 16, x1=x + 16, y1=y + 16, size_px=size_px)


def holds(window: Look, one: Mark, room_px: float) -> bool:
    """Whether the window shows the mark with some room, less only where the frame ends."""
    return (
        window.x0 <= max(0, one.x0 - room_px)
        and window.y0 <= max(0, one.y0 - room_px)
        and window.x1 >= min(FRAME[0], one.x1 + room_px)
        and window.y1 >= min(FRAME[1], one.y1 + room_px)
    )


class Counting:
    """A session that counts the pixels it is given."""

    def __init__(self, session: object) -> None:
        self.session, self.pixels, self.runs = session, 0, 0

    def run(self, outputs: list[str], feeds: dict[str, np.ndarray]) -> object:
        shape = feeds["picture"].shape
        self.pixels += shape[0] * shape[2] * shape[3]
        self.runs += 1
        return self.session.run(outputs, feeds)  # type: ignore[attr-defined]


def cloth(seed: int = 0) -> Image:
    rng = np.random.default_rng(seed)
    frame = np.array([50, 90, 40]) + rng.normal(0, 4, (FRAME[1], FRAME[0], 3))
    return np.clip(frame, 0, 255).astype(np.uint8)


def lay(frame: Image, card: str, x: int, y: int, high_px: int = 120) -> None:
    import cv2

    face = face_pixels(Card(card), width_px=round(high_px * 0.7))[..., :3]
    face = cv2.resize(face, (round(high_px * 0.7), high_px), interpolation=cv2.INTER_AREA)
    frame[y : y + high_px, x : x + face.shape[1]] = face


@pytest.fixture(scope="module")
def reader() -> Reader:
    assert "scout" in models.machine_card()
    return load_reader(threads=1)


@pytest.mark.parametrize("seed", range(20))
def test_every_mark_lies_in_a_window_with_room_around_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    marks = [
        mark(float(x), float(y), float(size))
        for x, y, size in zip(
            rng.uniform(0, FRAME[0], 30),
            rng.uniform(0, FRAME[1], 30),
            np.exp(rng.uniform(np.log(12), np.log(160), 30)),
            strict=True,
        )
    ]
    cut = windows(marks, (WHOLE, COARSE), multiple_px=16)
    for one in marks:
        assert any(holds(window, one, 1.4 * one.size_px) for window in cut)
    assert all(0 <= w.x0 < w.x1 <= FRAME[0] and 0 <= w.y0 < w.y1 <= FRAME[1] for w in cut)


def test_no_mark_is_no_window() -> None:
    assert windows([], (WHOLE, COARSE), multiple_px=16) == []


def test_a_lone_mark_costs_a_small_part_of_the_frame() -> None:
    (window,) = windows([mark(900, 500)], (WHOLE, COARSE), multiple_px=16)
    area = (window.x1 - window.x0) * (window.y1 - window.y0)
    assert area < 0.02 * FRAME[0] * FRAME[1]


def test_marks_everywhere_are_one_look_at_the_whole() -> None:
    marks = [mark(x, y) for x in range(20, 1920, 60) for y in range(20, 1080, 60)]
    assert windows(marks, (WHOLE,), multiple_px=16) == [WHOLE]


def test_large_cards_are_looked_at_coarsely_and_small_ones_finely() -> None:
    finer = finer_look(WHOLE, *FRAME)
    assert finer is not None
    looks = (WHOLE, COARSE, finer)
    scales = {
        size: {w.scale for w in windows([mark(900, 500, size)], looks, multiple_px=16)}
        for size in (12.0, 30.0, 150.0)
    }
    assert scales == {12.0: {finer.scale}, 30.0: {WHOLE.scale}, 150.0: {COARSE.scale}}


def test_a_picture_as_small_as_what_the_finder_is_given_has_no_finer_look() -> None:
    (look, *_) = full_looks(640, 480, VIDEO_SIDES_PX)
    assert finer_look(look, 640, 480) is None


def test_a_middle_at_a_side_that_cuts_is_left_to_another_window() -> None:
    maps = np.full((12, 20, 20), -9.0, np.float32)
    maps[2:7], maps[11] = 0.0, 0.0
    maps[2] = 1.0
    maps[0, 10, 0] = maps[0, 10, 10] = 5.0  # one at the left side, one in the middle
    window = Look(x0=400, y0=0, x1=480, y1=80, scale=1.0)
    asked = {"cell_px": 4, "least_index": 0.2, "least_back": 0.4}
    inside, _ = spots_of(maps, window, 1.0, 1.0, within=WHOLE, **asked)
    assert [round(spot.x) for spot in inside] == [442]
    # the same side at the frame's own edge cuts nothing
    edge = replace(window, x0=0, x1=80)
    found, _ = spots_of(maps, edge, 1.0, 1.0, within=WHOLE, **asked)
    assert len(found) == 2


def named(detections: tuple[Detection, ...]) -> set[str]:
    return {str(d.card) for d in detections if d.kind == "card"}


def test_a_bare_table_costs_the_finder_nothing(reader: Reader) -> None:
    counting = Counting(reader.finder)
    assert replace(reader, finder=counting).read(cloth()) == ()
    assert counting.pixels == 0


def test_cards_are_read_where_the_scout_points_and_the_cost_follows_them(reader: Reader) -> None:
    frame = cloth()
    counting = Counting(reader.finder)
    scouted = replace(reader, finder=counting)
    lay(frame, "Kh", 300, 200)
    assert named(scouted.read(frame)) == {"Kh"}
    one = counting.pixels
    for card, x, y in (("9s", 1300, 700), ("Td", 900, 420), ("Jc", 0, 0), ("7c", 1836, 960)):
        lay(frame, card, x, y)
    counting.pixels = 0
    assert named(scouted.read(frame)) == {"Kh", "9s", "Td", "Jc", "7c"}
    full = Counting(reader.finder)
    assert named(replace(reader, finder=full, scout=None).read(frame)) == {
        "Kh",
        "9s",
        "Td",
        "Jc",
        "7c",
    }
    assert one < counting.pixels < 0.35 * full.pixels


def test_a_changed_part_is_scouted_too(reader: Reader) -> None:
    frame = cloth()
    lay(frame, "Qd", 1000, 500)
    counting = Counting(reader.finder)
    scouted = replace(reader, finder=counting)
    assert named(scouted.read(frame, [(950.0, 450.0, 1150.0, 680.0)])) == {"Qd"}
    counting.pixels = 0
    assert scouted.read(frame, [(100.0, 100.0, 400.0, 400.0)]) == ()
    assert counting.pixels == 0


def test_a_still_picture_is_looked_at_all_over(reader: Reader) -> None:
    assert load_reader(threads=1, sides_px=STILL_SIDES_PX).scout is None


def test_a_scout_that_is_named_and_missing_is_said_so(tmp_path: Path, reader: Reader) -> None:
    folder = models.folder_of()
    for path in (*folder.glob("*.onnx"), folder / models.MACHINE_CARD):
        if path.name != "scout.onnx":
            (tmp_path / path.name).write_bytes(path.read_bytes())
    with pytest.raises(models.ModelMissing, match=r"scout\.onnx is missing"):
        load_reader(threads=1, models_dir=tmp_path)
