"""Vector drawings in millimetres: one description, drawn as SVG or as pixels.

A drawing is a list of shapes painted in order. A shape's path uses absolute ``M L C Z``
commands only, so it can be turned, scaled and mirrored by transforming its points.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

Point: TypeAlias = tuple[float, float]
#: One command and its points: ("M", p), ("L", p), ("C", p, p, p), ("Z",).
Segment: TypeAlias = tuple[str, tuple[Point, ...]]
Path: TypeAlias = tuple[Segment, ...]
#: x' = a x + c y + e, y' = b x + d y + f.
Affine: TypeAlias = tuple[float, float, float, float, float, float]

_POINTS_OF: Final = {"M": 1, "L": 1, "C": 3, "Z": 0}
#: Straight pieces per curve: at 20 px/mm a pip's outline is off by less than a tenth of a pixel.
_CURVE_STEPS: Final = 20
#: Rasters are drawn this many times too large and shrunk: the edges come out smooth.
_SUPERSAMPLE: Final = 4
#: OpenCV's fixed-point bits for sub-pixel corners.
_SHIFT: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A filled area (even-odd) or a stroked line with round joins; colours are ``#rrggbb``."""

    path: Path
    fill: str | None = None
    stroke: str | None = None
    width_mm: float = 0.0
    cap: Literal["butt", "round"] = "butt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """Shapes on a sheet of ``width_mm`` x ``height_mm``; the origin is its top left corner."""

    width_mm: float
    height_mm: float
    shapes: tuple[Shape, ...]


def path(text: str) -> Path:
    """Read ``M 0 0 L 10 0 C .. Z``; raise ValueError on any other command."""
    tokens = text.split()
    segments: list[Segment] = []
    at = 0
    while at < len(tokens):
        command = tokens[at]
        if command not in _POINTS_OF:
            raise ValueError(f"{command!r} is no path command: write M, L, C or Z, then numbers")
        count = _POINTS_OF[command]
        numbers = [float(t) for t in tokens[at + 1 : at + 1 + 2 * count]]
        points = tuple(zip(numbers[::2], numbers[1::2], strict=True))
        segments.append((command, points))
        at += 1 + 2 * count
    return tuple(segments)


def polygon(*points: Point) -> Path:
    first, *rest = points
    return (("M", (first,)), *(("L", (p,)) for p in rest), ("Z", ()))


def rectangle(x0: float, y0: float, x1: float, y1: float) -> Path:
    return polygon((x0, y0), (x1, y0), (x1, y1), (x0, y1))


def ellipse(cx: float, cy: float, rx: float, ry: float) -> Path:
    """An ellipse of four curves (off by 0.03% of the radius)."""
    k = 0.5522847498
    return (
        ("M", ((cx + rx, cy),)),
        ("C", ((cx + rx, cy + k * ry), (cx + k * rx, cy + ry), (cx, cy + ry))),
        ("C", ((cx - k * rx, cy + ry), (cx - rx, cy + k * ry), (cx - rx, cy))),
        ("C", ((cx - rx, cy - k * ry), (cx - k * rx, cy - ry), (cx, cy - ry))),
        ("C", ((cx + k * rx, cy - ry), (cx + rx, cy - k * ry), (cx + rx, cy))),
        ("Z", ()),
    )


def circle(cx: float, cy: float, r: float) -> Path:
    return ellipse(cx, cy, r, r)


def rounded(x0: float, y0: float, x1: float, y1: float, r: float) -> Path:
    """A rectangle with round corners of radius ``r``."""
    k = r * (1 - 0.5522847498)
    return (
        ("M", ((x0 + r, y0),)),
        ("L", ((x1 - r, y0),)),
        ("C", ((x1 - k, y0), (x1, y0 + k), (x1, y0 + r))),
        ("L", ((x1, y1 - r),)),
        ("C", ((x1, y1 - k), (x1 - k, y1), (x1 - r, y1))),
        ("L", ((x0 + r, y1),)),
        ("C", ((x0 + k, y1), (x0, y1 - k), (x0, y1 - r))),
        ("L", ((x0, y0 + r),)),
        ("C", ((x0, y0 + k), (x0 + k, y0), (x0 + r, y0))),
        ("Z", ()),
    )


def filled(outline: Path, colour: str) -> Shape:
    return Shape(path=outline, fill=colour)


def stroked(
    line: Path, colour: str, width_mm: float, cap: Literal["butt", "round"] = "round"
) -> Shape:
    return Shape(path=line, stroke=colour, width_mm=width_mm, cap=cap)


def placed(x: float, y: float, scale_x: float = 1.0, scale_y: float | None = None) -> Affine:
    """Scale about the origin, then move it to (x, y)."""
    return (scale_x, 0.0, 0.0, scale_x if scale_y is None else scale_y, x, y)


def half_turn(cx: float, cy: float) -> Affine:
    """Turn by 180 degrees about (cx, cy)."""
    return (-1.0, 0.0, 0.0, -1.0, 2 * cx, 2 * cy)


def transformed(shapes: Iterable[Shape], by: Affine) -> tuple[Shape, ...]:
    """The shapes with every point moved; stroke widths follow the mean scale."""
    a, b, c, d, e, f = by
    scale = math.sqrt(abs(a * d - b * c))

    def moved(point: Point) -> Point:
        x, y = point
        return (a * x + c * y + e, b * x + d * y + f)

    return tuple(
        replace(
            shape,
            path=tuple((command, tuple(map(moved, points))) for command, points in shape.path),
            width_mm=shape.width_mm * scale,
        )
        for shape in shapes
    )


def _number(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def svg(drawing: Drawing) -> str:
    """The drawing as a stand-alone SVG file, the same text every time."""
    width, height = _number(drawing.width_mm), _number(drawing.height_mm)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}mm" height="{height}mm" '
        f'viewBox="0 0 {width} {height}">'
    ]
    for shape in drawing.shapes:
        data = "".join(
            command + " ".join(f"{_number(x)} {_number(y)}" for x, y in points)
            for command, points in shape.path
        )
        if shape.fill is not None:
            lines.append(f'<path d="{data}" fill="{shape.fill}" fill-rule="evenodd"/>')
        else:
            lines.append(
                f'<path d="{data}" fill="none" stroke="{shape.stroke}" '
                f'stroke-width="{_number(shape.width_mm)}" stroke-linejoin="round" '
                f'stroke-linecap="{shape.cap}"/>'
            )
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


def flattened(outline: Path) -> list[NDArray[np.float64]]:
    """Every contour as an (n, 2) array of points, curves cut into straight pieces."""
    contours: list[list[Point]] = []
    for command, points in outline:
        match command:
            case "M":
                contours.append([points[0]])
            case "L":
                contours[-1].append(points[0])
            case "C":
                p0 = np.array(contours[-1][-1])
                p1, p2, p3 = (np.array(p) for p in points)
                for i in range(1, _CURVE_STEPS + 1):
                    t = i / _CURVE_STEPS
                    u = 1 - t
                    p = u**3 * p0 + 3 * u * u * t * p1 + 3 * u * t * t * p2 + t**3 * p3
                    contours[-1].append((float(p[0]), float(p[1])))
            case _:
                contours[-1].append(contours[-1][0])
    return [np.array(c, dtype=np.float64) for c in contours]


def bgr(colour: str) -> tuple[int, int, int]:
    """``#rrggbb`` as blue, green, red."""
    return (int(colour[5:7], 16), int(colour[3:5], 16), int(colour[1:3], 16))


def _fixed(points: NDArray[np.float64]) -> NDArray[np.int32]:
    # OpenCV's pixel centres lie on whole numbers: a half pixel back puts edges where they are.
    return np.round((points - 0.5) * (1 << _SHIFT)).astype(np.int32)


def _paint(canvas: NDArray[np.uint8], shape: Shape, scale: float) -> None:
    contours = [c * scale for c in flattened(shape.path)]
    if shape.fill is not None:
        cv2.fillPoly(canvas, [_fixed(c) for c in contours], bgr(shape.fill), cv2.LINE_8, _SHIFT)
        return
    assert shape.stroke is not None
    colour, half = bgr(shape.stroke), shape.width_mm * scale / 2
    for contour in contours:
        closed = bool(np.allclose(contour[0], contour[-1]))
        for p, q in itertools.pairwise(contour):
            along = q - p
            length = float(np.hypot(along[0], along[1]))
            if length == 0:
                continue
            across = np.array([-along[1], along[0]]) / length * half
            quad = np.array([p + across, q + across, q - across, p - across])
            cv2.fillConvexPoly(canvas, _fixed(quad), colour, cv2.LINE_8, _SHIFT)
        joints = contour if closed or shape.cap == "round" else contour[1:-1]
        for joint in joints:
            centre = _fixed(joint[np.newaxis])[0]
            radius = round(half * (1 << _SHIFT))
            at = (int(centre[0]), int(centre[1]))
            cv2.circle(canvas, at, radius, colour, cv2.FILLED, cv2.LINE_8, _SHIFT)


def raster(drawing: Drawing, *, width_px: int, ground: str = "#ffffff") -> NDArray[np.uint8]:
    """The drawing as height x ``width_px`` x 3 blue-green-red pixels with smooth edges."""
    height_px = round(width_px * drawing.height_mm / drawing.width_mm)
    size = (height_px * _SUPERSAMPLE, width_px * _SUPERSAMPLE, 3)
    canvas = np.full(size, bgr(ground), dtype=np.uint8)
    scale = width_px * _SUPERSAMPLE / drawing.width_mm
    for shape in drawing.shapes:
        _paint(canvas, shape, scale)
    small = cv2.resize(canvas, (width_px, height_px), interpolation=cv2.INTER_AREA)
    return np.asarray(small, dtype=np.uint8)
