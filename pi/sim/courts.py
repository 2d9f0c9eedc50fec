"""The jacks, queens, kings and the two jesters, drawn double-ended and flat.

Each figure is the upper half of a picture above a sloping line through the card's middle;
its other half is the same shapes turned by 180 degrees. Told apart at a glance: the king
has a crown, a beard and a sword, the queen a beaded coronet, long hair and a flower, the
jack a cap with a feather and a halberd.
"""

from __future__ import annotations

import math
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
    polygon,
    rectangle,
    stroked,
    transformed,
)
from pi.sim.glyphs import pip

WIDTH_MM: Final = 63.0
HEIGHT_MM: Final = 88.0

RED: Final = "#c8142d"
BLACK: Final = "#16161a"
GOLD: Final = "#eab839"
BLUE: Final = "#24509f"
SKIN: Final = "#f7dcc0"
STEEL: Final = "#c3cad3"
GREEN: Final = "#2f7d4f"
CREAM: Final = "#fbf3df"

INK: Final = {"h": RED, "d": RED, "c": BLACK, "s": BLACK}

_LEFT, _TOP, _RIGHT, _BOTTOM = 12.8, 7.5, 50.2, 80.5
_SLOPE_MM: Final = 6.0
_LINE: Final = 0.32


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cloth:
    robe: str
    sleeve: str
    trim: str
    hair: str


_CLOTH: Final = {
    "h": _Cloth(robe=RED, sleeve=BLUE, trim=GOLD, hair="#d99a3c"),
    "d": _Cloth(robe=GOLD, sleeve=RED, trim=BLUE, hair="#8a5a2b"),
    "s": _Cloth(robe=BLUE, sleeve=BLACK, trim=GOLD, hair="#3a3030"),
    "c": _Cloth(robe=BLACK, sleeve=RED, trim=GOLD, hair="#b5722f"),
}


def _outlined(outline: Path, colour: str) -> tuple[Shape, Shape]:
    return (filled(outline, colour), stroked(outline, BLACK, _LINE))


def _slope_y(x: float) -> float:
    """The dividing line's height at ``x``: higher on the right."""
    return HEIGHT_MM / 2 - _SLOPE_MM * 2 * (x - WIDTH_MM / 2) / (_RIGHT - _LEFT)


def _body(cloth: _Cloth) -> tuple[Shape, ...]:
    shapes: list[Shape] = []
    left, right = (_LEFT, _slope_y(_LEFT)), (_RIGHT, _slope_y(_RIGHT))
    shapes += _outlined(
        polygon(
            (26.5, 29.5), (36.5, 29.5), (46, 33), (_RIGHT, 36), right, left, (_LEFT, 38), (17, 33)
        ),
        cloth.sleeve,
    )
    panel = polygon(
        (26, 29.5),
        (37, 29.5),
        (40.5, 34),
        (41.5, _slope_y(41.5)),
        (21.5, _slope_y(21.5)),
        (22.5, 34),
    )
    shapes += _outlined(panel, cloth.robe)
    for x in (16.5, 19.0):
        shapes.append(
            stroked(polygon((x, 35.2), (x - 1.2, _slope_y(x - 1.2)))[:2], cloth.trim, 0.9)
        )
    for x in (44.0, 46.6):
        shapes.append(
            stroked(polygon((x, 34.2), (x + 0.6, _slope_y(x + 0.6)))[:2], cloth.trim, 0.9)
        )
    for row in range(4):
        for x in (27.0, 31.5, 36.0):
            y = 36.2 + row * 3.4 - (x - 31.5) * 0.3
            if y < _slope_y(x) - 1.6:
                shapes.append(
                    filled(
                        polygon((x, y - 1.3), (x + 1.1, y), (x, y + 1.3), (x - 1.1, y)), cloth.trim
                    )
                )
    shapes += _outlined(
        polygon((26.0, 29.0), (37.0, 29.0), (39.2, 32.4), (31.5, 35.4), (23.8, 32.4)), CREAM
    )
    for x in (26.6, 29.0, 31.5, 34.0, 36.4):
        shapes.append(filled(circle(x, 32.0 - abs(x - 31.5) * 0.12, 0.5), BLACK))
    return tuple(shapes)


def _face(*, lips: str, brow: float) -> tuple[Shape, ...]:
    shapes: list[Shape] = [*_outlined(rectangle(29.0, 26.0, 34.0, 30.5), SKIN)]
    shapes += _outlined(ellipse(31.5, 22.3, 5.0, 6.4), SKIN)
    for side in (-1, 1):
        x = 31.5 + side * 2.15
        shapes.append(filled(ellipse(x, 21.4, 0.95, 0.6), "#ffffff"))
        shapes.append(filled(circle(x, 21.4, 0.52), BLACK))
        shapes.append(
            stroked(
                path(f"M {x - 1.2} {19.9} C {x - 0.5} {19.2} {x + 0.5} {19.2} {x + 1.2} {19.9}"),
                BLACK,
                brow,
            )
        )
    shapes.append(stroked(path("M 31.7 21.2 L 30.9 24 L 32 24.2"), "#b98a66", 0.35))
    shapes.append(stroked(path("M 30.2 26 C 31 26.6 32 26.6 32.8 26"), lips, 0.6))
    return tuple(shapes)


def _hand(x: float, y: float) -> tuple[Shape, ...]:
    return (
        *_outlined(ellipse(x, y, 1.9, 1.6), SKIN),
        stroked(path(f"M {x - 1.1} {y - 0.4} L {x + 1.1} {y - 0.4}"), BLACK, 0.2),
        stroked(path(f"M {x - 1.1} {y + 0.4} L {x + 1.1} {y + 0.4}"), BLACK, 0.2),
    )


def _king(cloth: _Cloth) -> tuple[Shape, ...]:
    shapes: list[Shape] = []
    for side in (-1, 1):
        for step, y in enumerate((19.5, 22.5, 25.5, 28.2)):
            shapes += _outlined(circle(31.5 + side * (5.6 + 0.25 * step), y, 1.9), cloth.hair)
    shapes += _face(lips=RED, brow=0.55)
    shapes += _outlined(
        path(
            "M 27 24.6 C 28.5 25.6 30 24.9 31.5 24.9 C 33 24.9 34.5 25.6 36 24.6 "
            "C 36.4 28.6 34.2 32.4 31.5 33.6 C 28.8 32.4 26.6 28.6 27 24.6 Z"
        ),
        cloth.hair,
    )
    shapes.append(stroked(path("M 30.1 26.6 C 31 27.3 32 27.3 32.9 26.6"), RED, 0.7))
    for x in (29.6, 31.5, 33.4):
        shapes.append(stroked(path(f"M {x} 28.6 L {31.5 + (x - 31.5) * 0.5} 31.8"), BLACK, 0.22))
    shapes += _outlined(
        polygon(
            (25.4, 17.4),
            (23.6, 10.6),
            (27.6, 13.4),
            (31.5, 8.6),
            (35.4, 13.4),
            (39.4, 10.6),
            (37.6, 17.4),
        ),
        GOLD,
    )
    shapes += _outlined(rectangle(25.4, 15.7, 37.6, 17.9), cloth.sleeve)
    for x, y in ((23.6, 10.4), (31.5, 8.9), (39.4, 10.4)):
        shapes += _outlined(circle(x, y, 0.9), RED)
    for x in (27.6, 31.5, 35.4):
        shapes.append(filled(circle(x, 16.8, 0.6), GOLD))
    shapes += _outlined(
        polygon((44.7, 11.5), (45.7, 9.2), (46.7, 11.5), (46.7, 30.5), (44.7, 30.5)), STEEL
    )
    shapes.append(stroked(path("M 45.7 11.5 L 45.7 30"), BLACK, 0.2))
    shapes += _outlined(rectangle(42.6, 30.3, 48.8, 31.6), GOLD)
    shapes += _hand(45.7, 33.4)
    return tuple(shapes)


def _queen(cloth: _Cloth) -> tuple[Shape, ...]:
    shapes: list[Shape] = []
    shapes += _outlined(
        path("M 24.2 16 C 20.5 22 21.5 28 20.8 33.4 L 27.5 31 L 27.5 17 Z"), cloth.hair
    )
    shapes += _outlined(
        path("M 38.8 16 C 42.5 22 41.5 28 42.2 33.4 L 35.5 31 L 35.5 17 Z"), cloth.hair
    )
    for x, bend in ((23.4, 22.6), (25.4, 25.0), (37.6, 38.0), (39.6, 40.4)):
        shapes.append(stroked(path(f"M {x} 19 C {bend} 23 {bend} 27 {bend} 31"), BLACK, 0.22))
    shapes += _face(lips=RED, brow=0.35)
    shapes += _outlined(
        path(
            "M 26.4 21 C 26.6 17 29 16.2 31.5 16.2 C 34 16.2 36.4 17 36.6 21 "
            "C 38 18.4 37.4 15.2 31.5 15.2 C 25.6 15.2 25 18.4 26.4 21 Z"
        ),
        cloth.hair,
    )
    shapes += _outlined(
        path(
            "M 25 16.6 L 24.2 12.4 C 28 10.6 35 10.6 38.8 12.4 L 38 16.6 "
            "C 34 15.2 29 15.2 25 16.6 Z"
        ),
        cloth.robe,
    )
    shapes.append(stroked(path("M 25 16.4 C 29 15 34 15 38 16.4"), cloth.trim, 1.0))
    for i, x in enumerate((24.4, 27.9, 31.5, 35.1, 38.6)):
        shapes += _outlined(circle(x, (11.7, 10.4, 9.9, 10.4, 11.7)[i], 1.25), cloth.trim)
    shapes += (stroked(path("M 45.6 32 C 45 28 46.2 24 45.8 19"), GREEN, 0.8),)
    shapes += _outlined(
        path("M 45.6 27 C 47.2 24.6 49 24.4 49.4 24.8 C 48.8 26.6 47.4 27.4 45.6 27 Z"), GREEN
    )
    for turn in range(6):
        angle = math.radians(60 * turn)
        x, y = 45.8 + 2.15 * math.cos(angle), 16.4 + 2.15 * math.sin(angle)
        shapes += _outlined(circle(x, y, 1.35), cloth.sleeve)
    shapes += _outlined(circle(45.8, 16.4, 1.3), GOLD)
    shapes += _hand(45.5, 33.0)
    return tuple(shapes)


def _jack(cloth: _Cloth) -> tuple[Shape, ...]:
    shapes: list[Shape] = []
    shapes += _outlined(
        path("M 25.2 15 C 23.4 20 24.2 25 24 28 C 26 29 37 29 39 28 C 38.8 25 39.6 20 37.8 15 Z"),
        cloth.hair,
    )
    shapes += _face(lips=RED, brow=0.4)
    shapes += _outlined(
        path(
            "M 26.2 20.6 C 26 16.4 29 15.8 31.5 15.8 C 34 15.8 37 16.4 36.8 20.6 "
            "C 34.6 18.4 28.4 18.4 26.2 20.6 Z"
        ),
        cloth.hair,
    )
    shapes += _outlined(
        path("M 24.6 16.2 C 24 11.6 28 10.2 32 10.4 C 36.6 10.6 39.4 12.6 38.4 16.2 Z"), cloth.robe
    )
    shapes += _outlined(rectangle(23.2, 15.2, 39.8, 17.2), cloth.sleeve)
    shapes += _outlined(
        path("M 36.6 15 C 37.6 11.6 40.4 9.4 43.2 9.2 C 42.8 12 40.4 14.6 37.4 15.6 Z"), cloth.trim
    )
    shapes.append(stroked(path("M 37.2 15 C 38.4 12.6 40.4 10.8 42.4 9.8"), BLACK, 0.22))
    shapes.append(stroked(path("M 46.6 12 L 46.6 38.6"), "#8a5a2b", 1.2, "butt"))
    shapes += _outlined(polygon((46.0, 13.2), (46.6, 8.8), (47.2, 13.2)), STEEL)
    shapes += _outlined(
        path(
            "M 46 14.4 C 44.6 14.2 43 13.4 42.2 12.8 C 41.4 16 41.4 18.6 42.2 21.6 "
            "C 43 20.8 44.6 19.8 46 19.6 Z"
        ),
        STEEL,
    )
    shapes += _outlined(polygon((47.2, 15.4), (49.6, 17), (47.2, 18.6)), STEEL)
    shapes += _hand(46.4, 32.6)
    return tuple(shapes)


_FIGURES: Final = {"J": _jack, "Q": _queen, "K": _king}


def court(rank: str, suit: str) -> tuple[Shape, ...]:
    """The picture of ``J``, ``Q`` or ``K`` of ``suit`` with its frame and its two pips."""
    cloth = _CLOTH[suit]
    half = (
        *_body(cloth),
        *_FIGURES[rank](cloth),
        *pip(suit, INK[suit], x=18.2, y=13.6, height_mm=8.6),
    )
    turned = transformed(half, half_turn(WIDTH_MM / 2, HEIGHT_MM / 2))
    ends = ((_LEFT, _slope_y(_LEFT)), (_RIGHT, _slope_y(_RIGHT)))
    seam = polygon(*ends)[:2]
    return (
        filled(rectangle(_LEFT, _TOP, _RIGHT, _BOTTOM), CREAM),
        *half,
        *turned,
        stroked(seam, GOLD, 1.6, "butt"),
        stroked(seam, BLACK, 0.3, "butt"),
        stroked(rectangle(_LEFT, _TOP, _RIGHT, _BOTTOM), BLUE, 0.55),
    )


def jester(colour: str, second: str) -> tuple[Shape, ...]:
    """One jester's head with a three-pointed cap and bells over a ruff, in the card's middle."""
    shapes: list[Shape] = []
    points = (
        ("M 31.5 31 C 24 22 16 24 14.5 35 C 18 31 23 33 25 39 Z", colour, (14.5, 35.6)),
        ("M 31.5 31 C 39 22 47 24 48.5 35 C 45 31 40 33 38 39 Z", second, (48.5, 35.6)),
        ("M 25.5 36 C 26 28 28 22 31.5 18 C 35 22 37 28 37.5 36 Z", GOLD, (31.5, 17.2)),
    )
    for tine in range(12):
        angle = math.radians(30 * tine + 15)
        tip = (31.5 + 14 * math.cos(angle), 58 + 8.5 * math.sin(angle))
        sides = [
            (31.5 + 9 * math.cos(angle + turn), 56.5 + 5.5 * math.sin(angle + turn))
            for turn in (-0.3, 0.3)
        ]
        shapes += _outlined(polygon(sides[0], tip, sides[1]), (colour, GOLD, second)[tine % 3])
        shapes += _outlined(circle(tip[0], tip[1], 0.9), GOLD)
    shapes += _outlined(ellipse(31.5, 46, 8.2, 10.4), SKIN)
    for text, fill, bell in points:
        shapes += _outlined(path(text), fill)
        shapes += _outlined(circle(bell[0], bell[1], 1.5), GOLD)
    shapes += _outlined(
        path("M 23 39.6 C 27 36.4 36 36.4 40 39.6 L 40 36 C 36 33 27 33 23 36 Z"), second
    )
    for side in (-1, 1):
        x = 31.5 + side * 3.4
        shapes.append(filled(ellipse(x, 43.6, 1.5, 1.1), "#ffffff"))
        shapes.append(filled(circle(x, 43.6, 0.8), BLACK))
        shapes.append(
            stroked(
                path(f"M {x - 1.9} 41.6 C {x - 0.8} 40.2 {x + 0.8} 40.2 {x + 1.9} 41.6"), BLACK, 0.5
            )
        )
        shapes.append(filled(circle(31.5 + side * 5.2, 48.4, 1.3), "#eda58c"))
    shapes += _outlined(circle(31.5, 46.6, 1.3), "#eda58c")
    shapes.append(stroked(path("M 27 50 C 29.4 53.6 33.6 53.6 36 50"), RED, 0.9))
    return tuple(shapes)
