"""The drawn deck: one description, the committed files and the pixels."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from engine.cards import ALL_CARDS, SUITS, Card
from pi.sim import faces
from pi.sim.drawing import Drawing, circle, filled, path, polygon, raster, stroked, svg


def test_the_committed_pictures_are_the_ones_the_code_draws() -> None:
    files = faces.svg_files()
    folder = faces.default_folder()
    assert {p.name for p in folder.glob("*.svg")} == set(files)
    for name, text in files.items():
        assert (folder / name).read_text(encoding="utf-8") == text, (
            f"{name} differs: run python -m pi.sim.faces"
        )


def test_file_names_differ_even_where_case_is_blind() -> None:
    names = [name.lower() for name in faces.svg_files()]
    assert len(set(names)) == 55


def test_every_picture_is_sound_and_loads_nothing() -> None:
    for name, text in faces.svg_files().items():
        root = ET.fromstring(text)
        assert root.attrib["viewBox"] == "0 0 63 88", name
        assert {child.tag for child in root} == {"{http://www.w3.org/2000/svg}path"}, name
        assert "href" not in text, name
        assert "url(" not in text, name


def test_every_card_looks_different_from_every_other() -> None:
    small = {c: faces.face_pixels(c, width_px=48).astype(np.int16) for c in ALL_CARDS}
    cards = list(ALL_CARDS)
    for i, one in enumerate(cards):
        for other in cards[i + 1 :]:
            unlike = np.abs(small[one] - small[other]).max(axis=2) > 90
            assert unlike.sum() >= 12, (one, other)


@pytest.mark.parametrize("rank", list("23456789TJQKA"))
@pytest.mark.parametrize("suit", list(SUITS))
def test_both_indices_of_a_card_are_the_same_turned_round(rank: str, suit: str) -> None:
    pixels = faces.face_pixels(Card(rank + suit), width_px=252)  # 4 px/mm
    corner = pixels[12:96, 10:46].astype(np.int16)
    other = pixels[::-1, ::-1][12:96, 10:46].astype(np.int16)
    assert np.abs(corner - other).mean() < 4.0
    assert (corner.min(axis=2) < 120).mean() > 0.1, "an index is there"


@pytest.mark.parametrize(("suit", "red"), [("h", True), ("d", True), ("c", False), ("s", False)])
def test_hearts_and_diamonds_are_red_and_the_others_black(suit: str, red: bool) -> None:
    pixels = faces.face_pixels(Card(f"8{suit}"), width_px=252).astype(int)
    index = pixels[12:96, 10:46]
    ink = index[index.min(axis=2) < 60]
    blue, _green, redness = ink.mean(axis=0)
    assert (redness - blue > 100) == red
    assert (redness < 60) != red


def test_the_standard_index_is_about_8_by_20_mm() -> None:
    for card in ("Kh", "Tc", "4s"):
        pixels = faces.face_pixels(Card(card), width_px=630)  # 10 px/mm
        corner = pixels[20:240, 18:125]
        dark = corner.min(axis=2) < 150
        rows, columns = np.flatnonzero(dark.any(axis=1)), np.flatnonzero(dark.any(axis=0))
        height_mm, width_mm = np.ptp(rows) / 10, np.ptp(columns) / 10
        assert 17 <= height_mm <= 21
        assert 5.5 <= width_mm <= 8.5


def test_a_shape_covers_the_pixels_its_measures_say() -> None:
    square = filled(polygon((2, 2), (8, 2), (8, 8), (2, 8)), "#000000")
    drawing = Drawing(width_mm=10, height_mm=10, shapes=(square,))
    pixels = raster(drawing, width_px=100)
    assert pixels[22:78, 22:78].max() == 0
    assert pixels[:18].min() == 255
    assert pixels[82:].min() == 255
    disc = Drawing(width_mm=10, height_mm=10, shapes=(filled(circle(5, 5, 3), "#000000"),))
    share = (255 - raster(disc, width_px=200)[:, :, 0].astype(float)).sum() / 255 / 200**2
    assert share == pytest.approx(np.pi * 9 / 100, rel=0.01)


def test_a_hole_stays_open_and_a_line_has_its_width() -> None:
    ring = filled(circle(5, 5, 4) + circle(5, 5, 2), "#000000")
    pixels = raster(Drawing(width_mm=10, height_mm=10, shapes=(ring,)), width_px=100)
    assert pixels[50, 50, 0] == 255
    assert pixels[50, 20, 0] == 0
    line = stroked(path("M 1 5 L 9 5"), "#000000", 2.0, "butt")
    pixels = raster(Drawing(width_mm=10, height_mm=10, shapes=(line,)), width_px=100)
    column = pixels[:, 50, 0]
    assert (column < 128).sum() == pytest.approx(20, abs=1)


def test_a_path_with_an_unknown_command_is_refused() -> None:
    with pytest.raises(ValueError, match="'Q' is no path command"):
        path("M 0 0 Q 1 1 2 2")


def test_svg_text_is_written_with_few_digits_and_no_negative_zero() -> None:
    drawing = Drawing(
        width_mm=1,
        height_mm=1,
        shapes=(filled(polygon((-0.0001, 1 / 3), (1, 0), (0, 1)), "#ff0000"),),
    )
    assert 'd="M0 0.33L1 0L0 1Z"' in svg(drawing)
