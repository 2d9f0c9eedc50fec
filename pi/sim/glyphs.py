"""Our own ranks, letters and suits: strokes and outlines, borrowed from no font.

A glyph stands in a box 100 high (y 0..100, downwards) and ``width`` wide. A suit is centred
on (0, 0) in a box of 100 x 100.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pi.sim.drawing import (
    Path,
    Shape,
    circle,
    ellipse,
    filled,
    half_turn,
    path,
    placed,
    polygon,
    rectangle,
    stroked,
    transformed,
)

#: Stands for the colour until the glyph is used.
_INK: Final = "#000000"
_THICK: Final = 14.0
_THIN: Final = 9.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Glyph:
    width: float
    shapes: tuple[Shape, ...]


def _stroke(text: str, width: float = _THICK) -> Shape:
    return stroked(path(text), _INK, width, "butt")


def _area(outline: Path) -> Shape:
    return filled(outline, _INK)


def _bar(x0: float, y0: float, x1: float, y1: float) -> Shape:
    return _area(rectangle(x0, y0, x1, y1))


def _ring(cx: float, cy: float, rx: float, ry: float, side: float, end: float) -> Shape:
    """An oval ring, ``side`` thick left and right and ``end`` thick above and below."""
    return _area(ellipse(cx, cy, rx, ry) + ellipse(cx, cy, rx - side, ry - end))


_SIX: Final = "M 51 20 C 44 0 9 0 9 60 C 9 104 57 104 57 67 C 57 34 16 34 9 66"

GLYPHS: Final[dict[str, Glyph]] = {
    "2": Glyph(
        width=62,
        shapes=(
            _stroke("M 9 32 C 7 -2 53 -1 53 29 C 53 52 18 62 9 93 L 57 93"),
            _bar(2, 86, 59, 100),
            _bar(52, 78, 59, 100),
        ),
    ),
    "3": Glyph(
        width=62,
        shapes=(
            _stroke("M 9 26 C 10 -1 52 -1 52 27 C 52 46 36 47 24 47"),
            _stroke("M 24 47 C 40 47 55 52 55 71 C 55 101 10 102 7 73"),
        ),
    ),
    "4": Glyph(
        width=64,
        shapes=(
            _area(polygon((34, 0), (52, 0), (52, 100), (38, 100), (38, 0))),
            _area(polygon((36, 0), (50, 0), (17, 64), (1, 64))),
            _bar(1, 62, 63, 74),
            _bar(28, 92, 62, 100),
        ),
    ),
    "5": Glyph(
        width=62,
        shapes=(
            _bar(12, 0, 54, 13),
            _area(polygon((12, 0), (24, 0), (20, 50), (7, 50))),
            _stroke("M 12 48 C 24 34 55 36 55 67 C 55 101 12 102 7 77"),
        ),
    ),
    "6": Glyph(width=64, shapes=(_stroke(_SIX),)),
    "7": Glyph(
        width=60,
        shapes=(
            _bar(3, 0, 58, 13),
            _bar(3, 0, 11, 26),
            _stroke("M 51 7 C 44 34 27 56 26 100"),
        ),
    ),
    "8": Glyph(
        width=64,
        shapes=(_ring(32, 26, 25, 26, 13, 11), _ring(32, 72, 30, 28, 14, 12)),
    ),
    "9": Glyph(
        width=64,
        shapes=transformed((_stroke(_SIX),), half_turn(32, 50)),
    ),
    "T": Glyph(
        width=76,
        shapes=(
            _bar(9, 0, 22, 100),
            _area(polygon((12, 0), (22, 0), (22, 14), (2, 24), (2, 14))),
            _bar(1, 91, 30, 100),
            _ring(55, 50, 21, 50, 12, 12),
        ),
    ),
    "J": Glyph(
        width=60,
        shapes=(
            _bar(24, 0, 60, 9),
            _stroke("M 45 4 L 45 70 C 45 101 9 101 8 74"),
            _area(circle(9, 73, 8)),
        ),
    ),
    "Q": Glyph(
        width=68,
        shapes=(_ring(33, 47, 32, 47, 15, 11), _stroke("M 23 73 C 36 62 44 96 66 94", 10)),
    ),
    "K": Glyph(
        width=72,
        shapes=(
            _bar(8, 0, 22, 100),
            _bar(0, 0, 30, 9),
            _bar(0, 91, 30, 100),
            _stroke("M 19 62 L 56 4", _THIN),
            _stroke("M 33 42 L 57 96", 15),
            _bar(43, 0, 71, 9),
            _bar(43, 91, 72, 100),
        ),
    ),
    "A": Glyph(
        width=74,
        shapes=(
            _area(polygon((31, 0), (41, 0), (20, 96), (9, 96))),
            _area(polygon((31, 0), (43, 0), (67, 96), (50, 96))),
            _bar(19, 60, 54, 69),
            _bar(0, 91, 28, 100),
            _bar(42, 91, 74, 100),
        ),
    ),
    "O": Glyph(width=66, shapes=(_ring(33, 50, 32, 50, 14, 11),)),
    "E": Glyph(
        width=58,
        shapes=(
            _bar(8, 0, 22, 100),
            _bar(0, 0, 54, 10),
            _bar(0, 90, 58, 100),
            _bar(8, 45, 44, 54),
            _bar(46, 0, 54, 24),
            _bar(49, 76, 58, 100),
        ),
    ),
    "R": Glyph(
        width=68,
        shapes=(
            _bar(8, 0, 22, 100),
            _bar(0, 0, 30, 9),
            _bar(0, 91, 30, 100),
            _stroke("M 20 5 C 66 0 66 54 20 52", 11),
            _stroke("M 34 52 L 56 96", 14),
            _bar(45, 91, 68, 100),
        ),
    ),
}

SUITS: Final[dict[str, tuple[Shape, ...]]] = {
    "h": (
        _area(
            path(
                "M 0 50 C -12 28 -50 8 -50 -20 C -50 -41 -35 -50 -23 -50 C -11 -50 -2 -41 0 -29 "
                "C 2 -41 11 -50 23 -50 C 35 -50 50 -41 50 -20 C 50 8 12 28 0 50 Z"
            )
        ),
    ),
    "d": (
        _area(
            path(
                "M 0 -50 C 10 -32 25 -13 39 0 C 25 13 10 32 0 50 "
                "C -10 32 -25 13 -39 0 C -25 -13 -10 -32 0 -50 Z"
            )
        ),
    ),
    "s": (
        _area(
            path(
                "M 0 -50 C 8 -30 48 -12 48 15 C 48 31 37 37 27 37 C 16 37 8 31 4 22 "
                "C 5 36 10 45 20 50 L -20 50 C -10 45 -5 36 -4 22 C -8 31 -16 37 -27 37 "
                "C -37 37 -48 31 -48 15 C -48 -12 -8 -30 0 -50 Z"
            )
        ),
    ),
    "c": (
        _area(circle(0, -27, 23)),
        _area(circle(-26, 11, 23)),
        _area(circle(26, 11, 23)),
        _area(polygon((-11, -10), (11, -10), (15, 4), (5, 16), (-5, 16), (-15, 4))),
        _area(path("M -4 4 C -4 30 -9 44 -20 50 L 20 50 C 9 44 4 30 4 4 Z")),
    ),
}


def _inked(shapes: tuple[Shape, ...], colour: str) -> tuple[Shape, ...]:
    return tuple(
        Shape(path=s.path, fill=colour)
        if s.fill is not None
        else Shape(path=s.path, stroke=colour, width_mm=s.width_mm, cap=s.cap)
        for s in shapes
    )


def glyph(
    name: str, colour: str, *, centre_x: float, top_y: float, height_mm: float, squeeze: float = 1.0
) -> tuple[Shape, ...]:
    """The rank or letter ``name``, its box centred on ``centre_x`` and hung from ``top_y``."""
    found = GLYPHS[name]
    scale = height_mm / 100
    x = centre_x - found.width * scale * squeeze / 2
    return transformed(_inked(found.shapes, colour), placed(x, top_y, scale * squeeze, scale))


def pip(
    suit: str, colour: str, *, x: float, y: float, height_mm: float, upside_down: bool = False
) -> tuple[Shape, ...]:
    """The suit's sign centred on (x, y)."""
    scale = height_mm / 100
    turned = -scale if upside_down else scale
    return transformed(_inked(SUITS[suit], colour), placed(x, y, turned, turned))
