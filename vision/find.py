"""The finder: where index corners and card backs are, and how they lie.

It looks at a reduced copy of the picture; what is read is cut from the full one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.ports import Box

#: The sizes the output logarithms are relative to (``vision/training/nets.py``).
_INDEX_UNIT_PX = 24.0
_CARD_UNIT_PX = 96.0
_THREE_BY_THREE = np.ones((3, 3), np.uint8)
#: Cells along a side that cuts the picture in which no middle is believed.
_CUT_CELLS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSpot:
    """Something that looks like an index corner. All in pixels of the whole picture.

    ``up_x``, ``up_y`` is the unit vector from the suit to the rank; ``height_px`` reaches
    from the top of the rank to the foot of the suit. ``middle_x``, ``middle_y`` and
    ``card_px`` (height) are where the whole card seems to lie.
    """

    x: float
    y: float
    up_x: float
    up_y: float
    height_px: float
    middle_x: float
    middle_y: float
    card_px: float
    score: float
    #: The index's height in the reduced picture: says how well it was seen.
    seen_px: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BackSpot:
    """A face-down card: its middle, its long axis (either way round) and its height in pixels."""

    x: float
    y: float
    axis_x: float
    axis_y: float
    card_px: float
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One pass of the finder: the part of the picture it sees and the scale it sees it at."""

    x0: int
    y0: int
    x1: int
    y1: int
    scale: float


def full_looks(width_px: int, height_px: int, sides_px: Sequence[int]) -> tuple[Look, ...]:
    """One look at the whole picture for each long side of ``sides_px``.

    A picture smaller than the first side is enlarged at most one and a half times; a look
    that would differ from an earlier one by less than a quarter is left out.
    """
    longest = max(width_px, height_px)
    looks: list[Look] = []
    for side in sides_px:
        scale = min(side / longest, 1.5)
        if all(abs(math.log(scale / seen.scale)) > 0.25 for seen in looks):
            looks.append(Look(x0=0, y0=0, x1=width_px, y1=height_px, scale=scale))
    return tuple(looks)


def region_looks(
    width_px: int,
    height_px: int,
    regions: Sequence[Box],
    *,
    pixels: int,
    coarse_side_px: int,
    margin_px: int = 24,
) -> tuple[Look, ...]:
    """Looks that cover ``regions`` with a margin; those that overlap are joined.

    Each is looked at as finely as ``pixels`` allow, at most at its full size, and once more
    as in a whole frame of ``coarse_side_px``, for cards that fill much of it.
    """
    boxes: list[list[int]] = []
    for x0, y0, x1, y1 in regions:
        box = [
            max(0, int(x0) - margin_px),
            max(0, int(y0) - margin_px),
            min(width_px, math.ceil(x1) + margin_px),
            min(height_px, math.ceil(y1) + margin_px),
        ]
        if box[2] - box[0] < 8 or box[3] - box[1] < 8:
            continue
        joined = True
        while joined:
            joined = False
            for other in boxes:
                if (
                    box[0] < other[2]
                    and other[0] < box[2]
                    and box[1] < other[3]
                    and other[1] < box[3]
                ):
                    boxes.remove(other)
                    box = [
                        min(box[0], other[0]),
                        min(box[1], other[1]),
                        max(box[2], other[2]),
                        max(box[3], other[3]),
                    ]
                    joined = True
                    break
        boxes.append(box)
    coarse = coarse_side_px / max(width_px, height_px)
    looks = []
    for x0, y0, x1, y1 in boxes:
        fine = min(1.0, math.sqrt(pixels / ((x1 - x0) * (y1 - y0))))
        scales = (fine, coarse) if math.log(fine / coarse) > 0.4 else (fine,)
        looks += [Look(x0=x0, y0=y0, x1=x1, y1=y1, scale=s) for s in scales]
    return tuple(looks)


def look_at(
    session: Any, image: Image, look: Look, *, multiple_px: int, cell_px: int
) -> tuple[NDArray[np.float32], float, float]:
    """Run the finder on one look; return its maps (12 x rows x columns) and the true scales."""
    part: NDArray[Any] = image[look.y0 : look.y1, look.x0 : look.x1]
    height, width = part.shape[:2]
    seen_w, seen_h = max(8, round(width * look.scale)), max(8, round(height * look.scale))
    if (seen_w, seen_h) != (width, height):
        way = cv2.INTER_AREA if look.scale < 1 else cv2.INTER_LINEAR
        part = cv2.resize(part, (seen_w, seen_h), interpolation=way)
    padded_w = -(-seen_w // multiple_px) * multiple_px
    padded_h = -(-seen_h // multiple_px) * multiple_px
    batch = np.zeros((1, 3, padded_h, padded_w), np.float32)
    np.multiply(part.transpose(2, 0, 1), np.float32(1 / 255), out=batch[0, :, :seen_h, :seen_w])
    maps: NDArray[np.float32] = session.run(["maps"], {"picture": batch})[0][0]
    rows, columns = -(-seen_h // cell_px), -(-seen_w // cell_px)
    return maps[:, :rows, :columns], seen_w / width, seen_h / height


def _peaks(heat: NDArray[np.float32], least: float, most: int) -> list[tuple[int, int, float]]:
    """Local maxima of a heat map of logits: row, column, probability; best first."""
    logit = math.log(least / (1 - least))
    warm = heat > logit
    if not warm.any():
        return []
    around = cv2.dilate(heat, _THREE_BY_THREE)
    rows, columns = np.nonzero(warm & (heat >= around))
    values = heat[rows, columns]
    order = np.argsort(-values)[:most]
    scores = 1 / (1 + np.exp(-values))
    return [(int(rows[k]), int(columns[k]), float(scores[k])) for k in order]


def _within(value: float, most: float) -> float:
    return max(-most, min(most, value))


def spots_of(
    maps: NDArray[np.float32],
    look: Look,
    scale_x: float,
    scale_y: float,
    *,
    cell_px: int,
    least_index: float,
    least_back: float,
    most: int = 80,
    within: Look | None = None,
) -> tuple[list[IndexSpot], list[BackSpot]]:
    """Index corners and backs of one look, in pixels of the whole picture.

    ``within``: what ``look`` was cut out of. A middle right at a side that cuts is not
    trusted: it is half of something that another look shows whole, or has been passed over.
    """
    indices: list[IndexSpot] = []
    scale = (scale_x + scale_y) / 2
    rows, columns = maps.shape[1:]
    left = within is not None and look.x0 > within.x0
    top = within is not None and look.y0 > within.y0
    right = within is not None and look.x1 < within.x1
    bottom = within is not None and look.y1 < within.y1

    def is_cut(row: int, column: int) -> bool:
        return (
            (left and column < _CUT_CELLS)
            or (top and row < _CUT_CELLS)
            or (right and column >= columns - _CUT_CELLS)
            or (bottom and row >= rows - _CUT_CELLS)
        )

    for row, column, score in _peaks(maps[0], least_index, most):
        if is_cut(row, column):
            continue
        m = maps[:, row, column].tolist()
        x = (column + 0.5 + m[5]) * cell_px
        y = (row + 0.5 + m[6]) * cell_px
        up_x, up_y = m[2], m[3]
        length = math.hypot(up_x, up_y)
        if length < 1e-3:
            continue
        seen_px = _INDEX_UNIT_PX * math.exp(_within(m[4], 3))
        indices.append(
            IndexSpot(
                x=look.x0 + x / scale_x,
                y=look.y0 + y / scale_y,
                up_x=up_x / length,
                up_y=up_y / length,
                height_px=seen_px / scale,
                middle_x=look.x0 + (x + m[7] * seen_px) / scale_x,
                middle_y=look.y0 + (y + m[8] * seen_px) / scale_y,
                card_px=_CARD_UNIT_PX * math.exp(_within(m[11], 3)) / scale,
                score=score,
                seen_px=seen_px,
            )
        )
    backs: list[BackSpot] = []
    for row, column, score in _peaks(maps[1], least_back, most):
        if is_cut(row, column):
            continue
        m = maps[:, row, column].tolist()
        x = (column + 0.5 + _within(m[5], 8)) * cell_px
        y = (row + 0.5 + _within(m[6], 8)) * cell_px
        angle = math.atan2(m[10], m[9]) / 2
        backs.append(
            BackSpot(
                x=look.x0 + x / scale_x,
                y=look.y0 + y / scale_y,
                axis_x=math.cos(angle),
                axis_y=math.sin(angle),
                card_px=_CARD_UNIT_PX * math.exp(_within(m[11], 3)) / scale,
                score=score,
            )
        )
    return indices, backs


def merge_indices(spots: Sequence[IndexSpot], *, index_px: tuple[float, float]) -> list[IndexSpot]:
    """One spot for each index that several looks, or neighbouring cells, found; best first.

    A spot seen at a size the finder knows well goes before one that is nearly too small or
    too large.
    """
    low, high = index_px

    def rank(spot: IndexSpot) -> float:
        fits = 1.0 if low * 1.4 <= spot.seen_px <= high * 0.8 else 0.75
        return spot.score * fits

    kept: list[IndexSpot] = []
    for spot in sorted(spots, key=rank, reverse=True):
        near = any(
            math.hypot(spot.x - k.x, spot.y - k.y) < 0.42 * max(k.height_px, spot.height_px)
            for k in kept
        )
        if not near:
            kept.append(spot)
    return kept


def merge_backs(spots: Sequence[BackSpot]) -> list[BackSpot]:
    """One spot for each back, best first."""
    kept: list[BackSpot] = []
    for spot in sorted(spots, key=lambda s: s.score, reverse=True):
        if all(
            math.hypot(spot.x - k.x, spot.y - k.y) > 0.4 * max(k.card_px, spot.card_px)
            for k in kept
        ):
            kept.append(spot)
    return kept
