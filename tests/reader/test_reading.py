"""The shipped models on drawn tables and, where they are at hand, on real photographs."""

from __future__ import annotations

import json
import math
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.cards import ALL_CARDS, Card
from pi.sim.faces import back_pixels, face_pixels
from vision.find import full_looks, region_looks
from vision.picture import NotAPicture
from vision.ports import CardReader, Detection
from vision.reader import STILL_SIDES_PX, Reader, load_reader, read_file

pytestmark = pytest.mark.pixels

#: A frame of a whole table: cards of 70 mm on a 1280 x 720 cloth.
FRAME_PX = (720, 1280)


@pytest.fixture(scope="module")
def reader() -> Reader:
    return load_reader(threads=2)


def cloth(rng: np.random.Generator, size_px: tuple[int, int] = FRAME_PX) -> np.ndarray:
    base = np.array([60, 95, 40], np.float32)
    soft = cv2.resize(rng.normal(size=(9, 16)).astype(np.float32), size_px[::-1]) * 8
    return np.clip(base + soft[..., None] + rng.normal(0, 4, (*size_px, 3)), 0, 255).astype(
        np.uint8
    )


def lay(
    frame: np.ndarray, face: np.ndarray, x: float, y: float, *, turn_deg: float, height_px: float
) -> None:
    """Lay a face (BGR or BGRA) on the frame, its middle at (x, y)."""
    tall, wide = face.shape[:2]
    shrunk = cv2.resize(
        face,
        (round(2 * height_px * wide / tall), round(2 * height_px)),
        interpolation=cv2.INTER_AREA,
    )
    tall, wide = shrunk.shape[:2]
    a = math.radians(turn_deg)
    cos, sin = math.cos(a) / 2, math.sin(a) / 2
    matrix = np.array(
        [
            [cos, -sin, x - cos * wide / 2 + sin * tall / 2],
            [sin, cos, y - sin * wide / 2 - cos * tall / 2],
        ]
    )
    size = frame.shape[1::-1]
    alpha = cv2.warpAffine(np.full((tall, wide), 255, np.uint8), matrix, size) / 255.0
    laid = cv2.warpAffine(shrunk[..., :3], matrix, size)
    frame[:] = (frame * (1 - alpha[..., None]) + laid * alpha[..., None]).astype(np.uint8)


def named(found: tuple[Detection, ...]) -> list[str]:
    return sorted(str(d.card) for d in found if d.kind == "card")


def test_the_reader_is_a_card_reader(reader: Reader) -> None:
    port: CardReader = reader
    assert port.read(cloth(np.random.default_rng(0))) == ()


def test_every_card_of_our_own_faces_is_named_and_none_wrongly(reader: Reader) -> None:
    rng = np.random.default_rng(1)
    found: set[str] = set()
    for start in range(0, len(ALL_CARDS), 9):
        frame = cloth(rng)
        laid = ALL_CARDS[start : start + 9]
        for k, card in enumerate(laid):
            lay(
                frame,
                face_pixels(card, width_px=280),
                150 + 240 * (k % 5),
                200 + 320 * (k // 5),
                turn_deg=float(rng.uniform(0, 360)),
                height_px=128,
            )
        names = named(reader.read(frame))
        assert not set(names) - set(laid), "a card that does not lie there was named"
        found |= set(names)
    assert len(found) >= 0.97 * len(ALL_CARDS)


def test_an_overlapped_card_is_named_by_its_one_index(reader: Reader) -> None:
    frame = cloth(np.random.default_rng(2))
    for k, card in enumerate(("9h", "Th", "Jh", "Qh")):
        lay(
            frame,
            face_pixels(Card(card), width_px=280),
            400 + 45 * k,
            360,
            turn_deg=0,
            height_px=150,
        )
    assert named(reader.read(frame)) == ["9h", "Jh", "Qh", "Th"]


def test_a_face_down_card_is_a_back_and_has_no_name(reader: Reader) -> None:
    frame = cloth(np.random.default_rng(3))
    lay(frame, back_pixels(width_px=280), 500, 350, turn_deg=25, height_px=150)
    found = reader.read(frame)
    assert named(found) == []
    (back,) = [d for d in found if d.kind == "back"]
    x0, y0, x1, y1 = back.box
    assert x0 < 500 < x1
    assert y0 < 350 < y1


def test_the_same_card_twice_is_named_nowhere(reader: Reader) -> None:
    frame = cloth(np.random.default_rng(4))
    for x in (300, 900):
        lay(frame, face_pixels(Card("Ad"), width_px=280), x, 360, turn_deg=10, height_px=150)
    found = reader.read(frame)
    assert named(found) == []
    assert [(d.card, d.why) for d in found if d.kind == "unsure"] == [("Ad", "duplicate")] * 2


def test_regions_are_read_alone_and_answered_in_the_whole_frame(reader: Reader) -> None:
    frame = cloth(np.random.default_rng(6))
    for card, x in (("Kc", 250), ("9d", 1000)):
        lay(frame, face_pixels(Card(card), width_px=280), x, 360, turn_deg=40, height_px=140)
    (only,) = reader.read(frame, regions=[(880, 240, 1120, 480)])
    assert only.card == "9d"
    x0, y0, x1, y1 = only.box
    assert abs((x0 + x1) / 2 - 1000) < 12
    assert abs((y0 + y1) / 2 - 360) < 12
    assert reader.read(frame, regions=[]) == ()


def test_red_and_blue_swapped_costs_names_but_makes_no_black_card_red(reader: Reader) -> None:
    # a camera whose channels are swapped shows blue hearts: nothing may be named a black suit
    frame = cloth(np.random.default_rng(7))
    for k, card in enumerate(("9h", "Kd", "Ah")):
        lay(
            frame,
            face_pixels(Card(card), width_px=280),
            250 + 350 * k,
            360,
            turn_deg=0,
            height_px=150,
        )
    names = named(reader.read(np.ascontiguousarray(frame[..., ::-1])))
    assert not [n for n in names if n[1] in "cs"]


def test_the_report_has_the_keys_of_the_design(reader: Reader, tmp_path: Path) -> None:
    frame = cloth(np.random.default_rng(8))
    lay(frame, face_pixels(Card("Kh"), width_px=280), 400, 360, turn_deg=20, height_px=150)
    lay(frame, back_pixels(width_px=280), 900, 350, turn_deg=70, height_px=150)
    path = tmp_path / "table.png"
    cv2.imwrite(str(path), frame)
    report = json.loads(json.dumps(read_file(path, reader, explain=tmp_path / "seen")))
    assert report["image"] == str(path)
    assert (report["width"], report["height"]) == (1280, 720)
    assert report["ms"] > 0
    (card,) = report["cards"]
    assert card["card"] == "Kh"
    assert 0.9 <= card["confidence"] <= 1
    x0, y0, x1, y1 = card["box"]
    assert all(isinstance(v, int) for v in card["box"])
    assert x0 < 400 < x1
    assert y0 < 360 < y1
    assert report["unsure"] == []
    assert len(report["backs"]) == 1
    assert cv2.imread(str(tmp_path / "seen" / "table.png")).shape[0] >= frame.shape[0]


def test_a_picture_of_another_shape_is_refused(reader: Reader) -> None:
    with pytest.raises(NotAPicture):
        reader.read(np.zeros((10, 10, 7), np.uint8))


def test_a_tiny_or_thin_picture_is_read_without_a_fault(reader: Reader) -> None:
    for shape in ((1, 1, 3), (5, 900, 3), (33, 17, 3)):
        assert reader.read(np.full(shape, 128, np.uint8)) == ()


def test_looks_cover_small_and_large_pictures() -> None:
    assert [look.scale for look in full_looks(640, 480, (960, 400))] == [1.5, 0.625]
    scales = [look.scale for look in full_looks(6000, 4000, STILL_SIDES_PX)]
    assert scales == pytest.approx([960 / 6000, 400 / 6000, 1760 / 6000])


def test_regions_that_overlap_become_one_look() -> None:
    regions = [(100, 100, 200, 200), (190, 150, 300, 260)]
    looks = region_looks(1000, 800, regions, pixels=500_000, coarse_side_px=480)
    assert {(k.x0, k.y0, k.x1, k.y1) for k in looks} == {(76, 76, 324, 284)}
    assert [k.scale for k in looks] == [1.0, 0.48]


def test_a_large_region_is_looked_at_within_its_bound() -> None:
    looks = region_looks(4000, 3000, [(0, 0, 4000, 3000)], pixels=500_000, coarse_side_px=480)
    fine = looks[0]
    assert fine.scale**2 * 4000 * 3000 == pytest.approx(500_000)


def test_held_out_photographs_name_no_card_wrongly(reader: Reader, shared: Path) -> None:
    # a few photographs of train/ on which nothing was fitted
    folder = shared / "data" / "photos" / "train" / "phone_singles"
    images = sorted(
        json.loads((folder / "labels.json").read_text())["images"], key=lambda e: e["file"]
    )
    held = [e for k, e in enumerate(images) if k * 10 // len(images) == 5][::3]
    found = total = 0
    for entry in held:
        report = read_file(folder / entry["file"], reader)
        names = [c["card"] for c in report["cards"]]
        cards = [c["card"] for c in entry["cards"]]
        assert not set(names) - set(cards), entry["file"]
        found += len(set(names) & set(cards))
        total += len(cards)
    assert found >= 0.9 * total
