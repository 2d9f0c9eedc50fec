"""Upcard's own deck: 52 faces, two jokers and a back, drawn by this code alone.

``python -m pi.sim.faces`` writes the SVG files that the page shows; the simulated table
draws the same shapes as pixels. The proportions are those of a poker card (63 x 88 mm) with
a standard index of some 8 x 20 mm at two opposite corners.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.cards import ALL_CARDS, HIGH_JOKER, LOW_JOKER, Card, is_joker, rank_of, suit_of
from pi.sim.courts import BLACK, BLUE, HEIGHT_MM, INK, RED, WIDTH_MM, court, jester
from pi.sim.drawing import (
    Drawing,
    Shape,
    circle,
    filled,
    half_turn,
    polygon,
    raster,
    rounded,
    stroked,
    svg,
    transformed,
)
from pi.sim.glyphs import glyph, pip

CORNER_MM: Final = 3.2
_PAPER: Final = "#fefdf9"
_EDGE: Final = "#b9b6ae"

_INDEX_X_MM: Final = 6.6
_INDEX_TOP_MM: Final = 3.6
_INDEX_HEIGHT_MM: Final = 10.0
_INDEX_PIP_Y_MM: Final = 18.6
_INDEX_PIP_MM: Final = 7.0

_LEFT_X, _MIDDLE_X, _RIGHT_X = 20.5, 31.5, 42.5
_TOP_Y, _LOW_Y = 15.5, 72.5
_MIDDLE_Y: Final = HEIGHT_MM / 2
_THIRD_Y: Final = _TOP_Y + (_LOW_Y - _TOP_Y) / 3
_SIXTH_Y: Final = _TOP_Y + (_LOW_Y - _TOP_Y) / 6
_QUARTER_Y: Final = (_TOP_Y + _MIDDLE_Y) / 2

_SIDES: Final = (_LEFT_X, _RIGHT_X)
_FOUR: Final = tuple((x, _TOP_Y) for x in _SIDES)
_EIGHT: Final = _FOUR + tuple((x, _THIRD_Y) for x in _SIDES)
#: The pips of the upper half; the lower half is the same turned round.
_UPPER: Final[dict[str, tuple[tuple[float, float], ...]]] = {
    "2": ((_MIDDLE_X, _TOP_Y),),
    "3": ((_MIDDLE_X, _TOP_Y),),
    "4": _FOUR,
    "5": _FOUR,
    "6": _FOUR,
    "7": _FOUR,
    "8": (*_FOUR, (_MIDDLE_X, _QUARTER_Y)),
    "9": _EIGHT,
    "T": (*_EIGHT, (_MIDDLE_X, _SIXTH_Y)),
}
#: Upright pips on the middle line, and the seven's odd one above it.
_ALONE: Final[dict[str, tuple[tuple[float, float], ...]]] = {
    "3": ((_MIDDLE_X, _MIDDLE_Y),),
    "5": ((_MIDDLE_X, _MIDDLE_Y),),
    "6": tuple((x, _MIDDLE_Y) for x in _SIDES),
    "7": (*((x, _MIDDLE_Y) for x in _SIDES), (_MIDDLE_X, _QUARTER_Y)),
    "9": ((_MIDDLE_X, _MIDDLE_Y),),
}
_PIP_MM: Final = 12.0


def _sheet() -> tuple[Shape, ...]:
    outline = rounded(0.15, 0.15, WIDTH_MM - 0.15, HEIGHT_MM - 0.15, CORNER_MM)
    return (filled(outline, _PAPER), stroked(outline, _EDGE, 0.3))


def _both_ways(upper: tuple[Shape, ...]) -> tuple[Shape, ...]:
    return (*upper, *transformed(upper, half_turn(WIDTH_MM / 2, HEIGHT_MM / 2)))


def _index(rank: str, suit: str) -> tuple[Shape, ...]:
    ink = INK[suit]
    return (
        *glyph(
            rank,
            ink,
            centre_x=_INDEX_X_MM,
            top_y=_INDEX_TOP_MM,
            height_mm=_INDEX_HEIGHT_MM,
            squeeze=0.98 if rank == "T" else 1.0,
        ),
        *pip(suit, ink, x=_INDEX_X_MM, y=_INDEX_PIP_Y_MM, height_mm=_INDEX_PIP_MM),
    )


def _pips(rank: str, suit: str) -> tuple[Shape, ...]:
    ink = INK[suit]
    upper = tuple(
        shape for x, y in _UPPER[rank] for shape in pip(suit, ink, x=x, y=y, height_mm=_PIP_MM)
    )
    alone = tuple(
        shape
        for x, y in _ALONE.get(rank, ())
        for shape in pip(suit, ink, x=x, y=y, height_mm=_PIP_MM)
    )
    return (*_both_ways(upper), *alone)


def _ace(suit: str) -> tuple[Shape, ...]:
    ink = INK[suit]
    if suit != "s":
        return pip(suit, ink, x=WIDTH_MM / 2, y=HEIGHT_MM / 2, height_mm=19)
    middle = (WIDTH_MM / 2, HEIGHT_MM / 2)
    return (
        *pip(suit, ink, x=middle[0], y=middle[1], height_mm=36),
        *pip(suit, "#fefdf9", x=middle[0], y=middle[1] - 0.6, height_mm=25),
        *pip(suit, ink, x=middle[0], y=middle[1] - 0.8, height_mm=20),
        stroked(polygon((24, 67), (39, 67))[:2], ink, 0.5),
        filled(polygon((31.5, 65.4), (32.7, 67), (31.5, 68.6), (30.3, 67)), ink),
        stroked(polygon((24, 21), (39, 21))[:2], ink, 0.5),
        filled(polygon((31.5, 19.4), (32.7, 21), (31.5, 22.6), (30.3, 21)), ink),
    )


def _joker(card: Card) -> tuple[Shape, ...]:
    high = card == HIGH_JOKER
    ink, second = (RED, BLUE) if high else (BLACK, "#7d8794")
    letters = tuple(
        shape
        for place, letter in enumerate("JOKER")
        for shape in glyph(
            letter, ink, centre_x=5.4, top_y=4.0 + place * 6.2, height_mm=5.4, squeeze=0.95
        )
    )
    star = tuple(
        (31.5 + r * x, 72 + r * y)
        for x, y, r in (
            (0.0, -1.0, 4.0),
            (0.588, -0.809, 1.6),
            (0.951, -0.309, 4.0),
            (0.951, 0.309, 1.6),
            (0.588, 0.809, 4.0),
            (0.0, 1.0, 1.6),
            (-0.588, 0.809, 4.0),
            (-0.951, 0.309, 1.6),
            (-0.951, -0.309, 4.0),
            (-0.588, -0.809, 1.6),
        )
    )
    body = jester(ink, second)
    return (*_both_ways(letters), *body, *((filled(polygon(*star), ink),) if high else ()))


def face(card: Card) -> Drawing:
    """The printed side of ``card``."""
    if is_joker(card):
        shapes = _joker(card)
    else:
        rank, suit = rank_of(card), str(suit_of(card))
        match rank:
            case "A":
                middle = _ace(suit)
            case "J" | "Q" | "K":
                middle = court(rank, suit)
            case _:
                middle = _pips(rank, suit)
        shapes = (*middle, *_both_ways(_index(rank, suit)))
    return Drawing(width_mm=WIDTH_MM, height_mm=HEIGHT_MM, shapes=(*_sheet(), *shapes))


def back() -> Drawing:
    """The one back of the whole deck: a white border round a blue lattice."""
    left, top, right, bottom = 4.0, 4.0, WIDTH_MM - 4.0, HEIGHT_MM - 4.0
    shapes: list[Shape] = [*_sheet(), filled(rounded(left, top, right, bottom, 2.0), BLUE)]
    across, down = 9, 13
    step_x, step_y = (right - left - 3) / across, (bottom - top - 3) / down
    for row in range(down):
        for column in range(across):
            x = left + 1.5 + (column + 0.5) * step_x
            y = top + 1.5 + (row + 0.5) * step_y
            outline = polygon(
                (x, y - step_y / 2), (x + step_x / 2, y), (x, y + step_y / 2), (x - step_x / 2, y)
            )
            shapes.append(stroked(outline, "#dfe8f7", 0.42))
            shapes.append(filled(circle(x, y, 0.8), "#dfe8f7"))
    shapes.append(stroked(rounded(left + 1, top + 1, right - 1, bottom - 1, 1.6), "#dfe8f7", 0.5))
    shapes.append(filled(circle(WIDTH_MM / 2, HEIGHT_MM / 2, 11.5), BLUE))
    shapes.append(stroked(circle(WIDTH_MM / 2, HEIGHT_MM / 2, 10.5), "#dfe8f7", 0.7))
    for suit, x, y in (("s", 0, -4.6), ("h", 4.6, 0), ("c", 0, 4.6), ("d", -4.6, 0)):
        shapes += pip(suit, "#dfe8f7", x=WIDTH_MM / 2 + x, y=HEIGHT_MM / 2 + y, height_mm=6.2)
    return Drawing(width_mm=WIDTH_MM, height_mm=HEIGHT_MM, shapes=tuple(shapes))


def face_pixels(card: Card, *, width_px: int) -> NDArray[np.uint8]:
    """The face as blue-green-red pixels, ``width_px`` wide; white outside the round corners."""
    return raster(face(card), width_px=width_px)


def back_pixels(*, width_px: int) -> NDArray[np.uint8]:
    return raster(back(), width_px=width_px)


def file_name(card: Card | None) -> str:
    """``Kh.svg``; None is the back. Jokers are spelt out: B and b collide where case is blind."""
    match card:
        case None:
            return "back.svg"
        case _ if card == HIGH_JOKER:
            return "joker_high.svg"
        case _ if card == LOW_JOKER:
            return "joker_low.svg"
        case _:
            return f"{card}.svg"


def svg_files() -> dict[str, str]:
    """Every file of the deck: its name and its text."""
    files = {file_name(card): svg(face(card)) for card in ALL_CARDS}
    files[file_name(None)] = svg(back())
    return files


def default_folder() -> Path:
    """The page's folder of card pictures."""
    return Path(__file__).resolve().parents[2] / "web_dashboard" / "static" / "cards"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m pi.sim.faces", description="Write the deck's SVG files."
    )
    parser.add_argument("folder", nargs="?", type=Path, default=default_folder())
    folder: Path = parser.parse_args(arguments).folder
    folder.mkdir(parents=True, exist_ok=True)
    files = svg_files()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    print(f"{len(files)} cards written to {folder}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
