"""The scout: a glance at a much reduced picture that says where the finder should look, how finely.

It is a twentieth of the finder's work. Where it marks nothing the finder does not look at all, so
the cost of a reading follows the cards that are shown. It names nothing and places nothing: it may
only be too generous, which costs time, or too strict, which would lose a card; its thresholds are
chosen for the latter hardly ever to happen (``docs/developer/reading.md``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.find import Look
from vision.frame import Image

#: The sizes that the output logarithms are relative to (``vision/training/train_scout.py``).
_INDEX_UNIT_PX, _BACK_UNIT_PX = 12.0, 48.0
#: Index heights the finder reads best, in pixels of what it is given: larger ones are looked at
#: more coarsely, smaller ones more finely, where there is such a look.
_BEST_PX = (9.0, 46.0)
#: The same of face-down cards' heights.
_BEST_BACK_PX = (34.0, 180.0)
#: Within this factor of the upper end a mark is looked at both ways.
_EITHER = 1.15
#: The long side at which small cards of a large frame are looked at, where they are.
_FINER_SIDE_PX = 1680
#: Sizes (their logarithms) within one patch of marks that may be of one index.
_ALIKE = 1.2
#: A patch of more cells than this each way is of several cards.
_PATCH_CELLS = 5
#: Another run of the finder costs what this many pixels do.
_RUN_PIXELS = 1_500
#: Windows begin and end on cells of this many pixels of what the finder is given.
_GRID_PX = 4
#: The finder needs this much to see around a middle.
_LEAST_REACH_PX = 16
#: Windows that make up more than this share of a look are not worth the trouble.
_WHOLE_SHARE = 0.85

#: A box of such cells: x0, y0, x1, y1.
_Cells: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A place worth a closer look, somewhere within a box, in pixels of the whole picture.

    ``size_px``: about the height of the index, or of the face-down card, whose middle lies there.
    """

    kind: Literal["index", "back"]
    x0: float
    y0: float
    x1: float
    y1: float
    size_px: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoutSettings:
    """The scout's part of the machine card. ``look_share``: its scale over the finder's."""

    cell_px: int
    multiple_px: int
    look_share: float
    least_index: float
    least_back: float


def glance(session: Any, image: Image, look: Look, settings: ScoutSettings) -> list[Mark]:
    """Run the scout over one look's part of the picture, at its own share of the look's scale."""
    part: NDArray[Any] = image[look.y0 : look.y1, look.x0 : look.x1]
    height, width = part.shape[:2]
    scale = look.scale * settings.look_share
    seen_w, seen_h = max(8, round(width * scale)), max(8, round(height * scale))
    if (seen_w, seen_h) != (width, height):
        # to average every pixel of a large frame would take longer than the scout itself
        way = cv2.INTER_AREA if 0.3 < scale < 1 else cv2.INTER_LINEAR
        part = cv2.resize(part, (seen_w, seen_h), interpolation=way)
    multiple = settings.multiple_px
    padded = (-(-seen_h // multiple) * multiple, -(-seen_w // multiple) * multiple)
    batch = np.zeros((1, 3, *padded), np.float32)
    np.multiply(part.transpose(2, 0, 1), np.float32(1 / 255), out=batch[0, :, :seen_h, :seen_w])
    maps: NDArray[np.float32] = session.run(["marks"], {"picture": batch})[0][0]
    cell = settings.cell_px
    maps = maps[:, : -(-seen_h // cell), : -(-seen_w // cell)]
    scale_x, scale_y = seen_w / width, seen_h / height
    marks: list[Mark] = []
    kinds: tuple[tuple[Literal["index", "back"], float, float], ...] = (
        ("index", settings.least_index, _INDEX_UNIT_PX),
        ("back", settings.least_back, _BACK_UNIT_PX),
    )
    for channel, (kind, least, unit) in enumerate(kinds):
        for column0, row0, column1, row1, size in _patches(maps[channel], maps[2 + channel], least):
            marks.append(
                Mark(
                    kind=kind,
                    x0=look.x0 + column0 * cell / scale_x,
                    y0=look.y0 + row0 * cell / scale_y,
                    x1=look.x0 + column1 * cell / scale_x,
                    y1=look.y0 + row1 * cell / scale_y,
                    size_px=unit * math.exp(max(-3.0, min(3.0, size))) / scale,
                )
            )
    return marks


def _patches(
    heat: NDArray[np.float32], sizes: NDArray[np.float32], least: float
) -> list[tuple[int, int, int, int, float]]:
    """Cells of at least the probability ``least``: boxes of cells, and the logarithm of a size.

    The cells over and around one index are one box, and so are those of a small card's two; the
    likeliest, those over a middle, know its size best. A patch too large for that is given cell
    by cell, and one of uneven sizes keeps them.
    """
    marked = (heat > math.log(least / (1 - least))).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(marked, connectivity=8)
    found: list[tuple[int, int, int, int, float]] = []
    for label in range(1, count):
        x, y, wide, high, _ = (int(v) for v in stats[label])
        part = (slice(y, y + high), slice(x, x + wide))
        inside = labels[part] == label
        mine = sizes[part][inside]
        if mine.max() - mine.min() < _ALIKE:
            shares = 1 / (1 + np.exp(-heat[part][inside]))
            mine = np.full_like(mine, (mine * shares).sum() / shares.sum())
            if max(wide, high) <= _PATCH_CELLS:
                found.append((x, y, x + wide, y + high, float(mine[0])))
                continue
        rows, columns = np.nonzero(inside)
        found += [
            (x + column, y + row, x + column + 1, y + row + 1, float(size))
            for row, column, size in zip(rows.tolist(), columns.tolist(), mine, strict=True)
        ]
    return found


def finer_look(look: Look, width_px: int, height_px: int) -> Look | None:
    """The same part of the picture as finely as small cards need; None where that is no finer."""
    scale = min(1.0, _FINER_SIDE_PX / max(width_px, height_px))
    return replace(look, scale=scale) if scale > 1.25 * look.scale else None


def _suits(mark: Mark, scales: Sequence[float]) -> list[int]:
    """Which looks (by their scales) a mark is worth: the first, unless another shows it better.

    Where it is nearly too large for the first, both: the size is no more than about right.
    """
    low, high = _BEST_PX if mark.kind == "index" else _BEST_BACK_PX
    seen = mark.size_px * scales[0]
    if seen < low:
        return [max(range(len(scales)), key=lambda k: scales[k])]
    coarser = [k for k, scale in enumerate(scales) if scale < scales[0]]
    if seen * _EITHER < high or not coarser:
        return [0]
    # the finest of those that show it small enough, else the coarsest
    other = max(coarser, key=lambda k: (-max(1.0, mark.size_px * scales[k] / high), scales[k]))
    return [other] if seen > high * _EITHER else [0, other]


def windows(
    marks: Sequence[Mark],
    looks: Sequence[Look],
    *,
    multiple_px: int,
) -> list[Look]:
    """The parts of ``looks`` (one rectangle, several scales) that hold marks, with room around.

    Each mark is looked at at the scale that suits its size; windows are joined where one run of
    the finder is cheaper than two.
    """
    scales = [look.scale for look in looks]
    boxes: list[list[_Cells]] = [[] for _ in looks]
    for mark in marks:
        for k in _suits(mark, scales):
            look = looks[k]
            around = 1.5 * mark.size_px if mark.kind == "index" else 0.75 * mark.size_px
            reach = max(around, _LEAST_REACH_PX / look.scale)
            boxes[k].append(
                (
                    math.floor((mark.x0 - reach - look.x0) * look.scale / _GRID_PX),
                    math.floor((mark.y0 - reach - look.y0) * look.scale / _GRID_PX),
                    math.ceil((mark.x1 + reach - look.x0) * look.scale / _GRID_PX),
                    math.ceil((mark.y1 + reach - look.y0) * look.scale / _GRID_PX),
                )
            )
    found: list[Look] = []
    for look, mine in zip(looks, boxes, strict=True):
        if not mine:
            continue
        columns = math.ceil((look.x1 - look.x0) * look.scale / _GRID_PX)
        rows = math.ceil((look.y1 - look.y0) * look.scale / _GRID_PX)
        joined = [
            _within(box, columns, rows, multiple_px // _GRID_PX)
            for box in _joined(mine, _RUN_PIXELS / _GRID_PX**2)
        ]
        if sum(_area(box) for box in joined) > _WHOLE_SHARE * columns * rows:
            found.append(look)
            continue
        for x0, y0, x1, y1 in joined:
            found.append(
                Look(
                    x0=look.x0 + round(x0 * _GRID_PX / look.scale),
                    y0=look.y0 + round(y0 * _GRID_PX / look.scale),
                    x1=min(look.x1, look.x0 + round(x1 * _GRID_PX / look.scale)),
                    y1=min(look.y1, look.y0 + round(y1 * _GRID_PX / look.scale)),
                    scale=look.scale,
                )
            )
    return found


def _within(box: _Cells, columns: int, rows: int, multiple: int) -> _Cells:
    """The box inside the look, its sides lengthened to what the finder takes without padding."""
    x0, y0, x1, y1 = max(0, box[0]), max(0, box[1]), min(columns, box[2]), min(rows, box[3])
    wide = min(columns, -(-(x1 - x0) // multiple) * multiple)
    high = min(rows, -(-(y1 - y0) // multiple) * multiple)
    x0, y0 = min(x0, columns - wide), min(y0, rows - high)
    return x0, y0, x0 + wide, y0 + high


def _joined(boxes: Sequence[_Cells], run_cells: float) -> list[_Cells]:
    """Boxes of grid cells, two made one wherever that is cheaper than a run for each."""
    left = list(dict.fromkeys(boxes))
    done: list[_Cells] = []
    # plain comparisons: a full table asks some ten thousand times, which min and max made slow
    while left:
        x0, y0, x1, y1 = left.pop()
        area = (x1 - x0) * (y1 - y0) + run_cells
        k = 0
        while k < len(left):
            a0, b0, a1, b1 = left[k]
            own = (a1 - a0) * (b1 - b0)
            if x0 < a0:
                a0 = x0
            if y0 < b0:
                b0 = y0
            if x1 > a1:
                a1 = x1
            if y1 > b1:
                b1 = y1
            if (a1 - a0) * (b1 - b0) < area + own:
                x0, y0, x1, y1 = a0, b0, a1, b1
                area = (x1 - x0) * (y1 - y0) + run_cells
                del left[k]
                k = 0  # the larger box may reach those it was apart from
            else:
                k += 1
        done.append((x0, y0, x1, y1))
    return done if len(done) == len(boxes) else _joined(done, run_cells)


def _area(box: _Cells) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])
