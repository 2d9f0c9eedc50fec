"""Which seat a card belongs to, from where it lies.

The seat comes from the place and never from whose turn it is: else a play out of turn could
not be found. Without a calibration the frame's sides are the seats (0 North top, 1 East
right, 2 South bottom, 3 West left); with the table's four corners, a homography lays the
picture onto the table first, so a tilted or turned camera sees the same seats.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from engine.cards import EAST, NORTH, SOUTH, WEST, Seat
from engine.sightings import Place
from vision.errors import VisionError

#: x and y in pixels of the picture.
Point = tuple[float, float]


class BadLayout(VisionError, ValueError):
    """Corners or limits that make no table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where the seats and the kitty are in the picture.

    ``to_table`` is a row-major 3x3 homography from the picture, with x and y divided by its
    width and height, to the table: (-1, -1) its north-west corner, (1, 1) its south-east.
    None: the camera looks straight down and the frame's sides are the seats; directions are
    then taken in pixels, so the frame's shape does not bend them.

    ``middle_lengths``: a card whose centre lies within this many card lengths of the
    table's centre lies on the kitty. Half a card says that the card covers the centre.
    ``border_deg``: a card whose direction is nearer than this to the diagonal between two
    seats has a seat that is not clear.
    """

    to_table: tuple[float, ...] | None = None
    middle_lengths: float = 0.5
    border_deg: float = 10.0

    def __post_init__(self) -> None:
        if self.to_table is not None and len(self.to_table) != 9:
            raise BadLayout(
                f"to_table has {len(self.to_table)} numbers: give the 9 of a 3x3 homography"
            )
        if not 0.0 < self.middle_lengths <= 3.0:
            raise BadLayout(f"middle_lengths {self.middle_lengths}: give card lengths in 0 to 3")
        if not 0.0 <= self.border_deg < 45.0:
            raise BadLayout(f"border_deg {self.border_deg}: give degrees from 0 to below 45")


def from_corners(corners: Sequence[Point], *, width_px: int, height_px: int) -> Layout:
    """The layout of a table whose corners lie at these pixels of a frame of that size.

    ``corners`` in the order north-west, north-east, south-east, south-west as the players
    sit, wherever they appear in the picture. Raises :class:`BadLayout` when they are not
    four, or lie on a line, or cross.
    """
    if len(corners) != 4:
        raise BadLayout(f"{len(corners)} corners: give the table's four, from the north-west on")
    unit = np.array([(x / width_px, y / height_px) for x, y in corners], np.float32)
    if not cv2.isContourConvex(unit.reshape(-1, 1, 2)) or cv2.contourArea(unit) < 0.01:
        raise BadLayout(
            f"corners {[tuple(map(round, c)) for c in corners]} make no table: click them in "
            "turn around it, north-west first"
        )
    table = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float32)
    matrix = cv2.getPerspectiveTransform(unit, table)
    return Layout(to_table=tuple(float(v) for v in matrix.ravel()))


def place_of(
    layout: Layout, centre: Point, *, length_px: float, width_px: int, height_px: int
) -> Place:
    """Where a card lies whose centre is at ``centre`` in a frame of that size.

    ``length_px`` is the card's long side there. The seat is always given, by direction from
    the centre, and is not clear near a border between two seats or close to the centre.
    """
    dx, dy, length = _offset(layout, centre, length_px, width_px, height_px)
    away = math.hypot(dx, dy)
    middle = away <= layout.middle_lengths * length
    if abs(dx) >= abs(dy):
        seat: Seat = EAST if dx >= 0 else WEST
    else:
        seat = SOUTH if dy >= 0 else NORTH
    # Degrees from the seat's own axis: 0 straight in front of it, 45 on the border.
    off_axis = math.degrees(math.atan2(min(abs(dx), abs(dy)), max(abs(dx), abs(dy), 1e-9)))
    clear = off_axis <= 45.0 - layout.border_deg and away > 0.25 * length
    return Place(seat=seat, middle=middle, clear=clear)


def lengths_from_middle(
    layout: Layout, centre: Point, *, length_px: float, width_px: int, height_px: int
) -> float:
    """How far from the table's centre a card lies, in lengths of that card."""
    dx, dy, length = _offset(layout, centre, length_px, width_px, height_px)
    return math.hypot(dx, dy) / max(length, 1e-9)


def side_nearest(layout: Layout, edge_point: Point, *, width_px: int, height_px: int) -> Seat:
    """The seat whose side of the picture a hand comes from that crosses the frame there."""
    dx, dy, _ = _offset(layout, edge_point, 1.0, width_px, height_px)
    if layout.to_table is None:
        # At the frame's edge the side itself counts, not the diagonal of a wide picture.
        dx, dy = dx / width_px, dy / height_px
    if abs(dx) >= abs(dy):
        return EAST if dx >= 0 else WEST
    return SOUTH if dy >= 0 else NORTH


def _offset(
    layout: Layout, centre: Point, length_px: float, width_px: int, height_px: int
) -> tuple[float, float, float]:
    """From the table's centre to the card's: dx, dy and the card's length, in one unit."""
    if layout.to_table is None:
        return centre[0] - width_px / 2, centre[1] - height_px / 2, length_px
    matrix = np.array(layout.to_table, np.float64).reshape(3, 3)
    # The card's length on the table: the mean over both directions in the picture.
    points = np.array(
        [
            centre,
            (centre[0] + length_px / 2, centre[1]),
            (centre[0] - length_px / 2, centre[1]),
            (centre[0], centre[1] + length_px / 2),
            (centre[0], centre[1] - length_px / 2),
        ]
    ) / (width_px, height_px)
    on_table = cv2.perspectiveTransform(points.reshape(-1, 1, 2), matrix).reshape(-1, 2)
    across = float(np.linalg.norm(on_table[1] - on_table[2]))
    along = float(np.linalg.norm(on_table[3] - on_table[4]))
    return float(on_table[0][0]), float(on_table[0][1]), (across + along) / 2
