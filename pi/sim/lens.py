"""The simulated camera: from millimetres on the table to pixels of the picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pi.sim.courts import HEIGHT_MM, WIDTH_MM
from pi.sim.stage import Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """A pinhole camera over South's side, looking at the middle of the table.

    ``field_mm``: how wide the table is across the picture's middle. ``tilt_deg``: 0 looks
    straight down; the camera then leans back towards South. ``roll_deg``: its turn about its
    own axis. ``distance_mm``: from the lens to the middle of the table.
    """

    width_px: int = 1280
    height_px: int = 720
    field_mm: float = 960.0
    tilt_deg: float = 0.0
    roll_deg: float = 0.0
    distance_mm: float = 1100.0


def homography(lens: Lens) -> NDArray[np.float64]:
    """The 3x3 matrix from (x_mm, y_mm, 1) on the table to pixels (edges, not centres)."""
    tilt, roll = math.radians(lens.tilt_deg), math.radians(lens.roll_deg)
    focal = lens.width_px * lens.distance_mm / lens.field_mm
    look = np.array(
        [
            [focal, 0.0, 0.0],
            [0.0, focal * math.cos(tilt), 0.0],
            [0.0, -math.sin(tilt), lens.distance_mm],
        ]
    )
    turn = np.array(
        [
            [math.cos(roll), -math.sin(roll), lens.width_px / 2],
            [math.sin(roll), math.cos(roll), lens.height_px / 2],
            [0.0, 0.0, 1.0],
        ]
    )
    whole: NDArray[np.float64] = turn @ look
    return whole


def to_pixels(
    matrix: NDArray[np.float64], points_mm: Sequence[tuple[float, float]] | NDArray[np.float64]
) -> NDArray[np.float64]:
    """Points on the table, (n, 2) in mm, as (n, 2) in pixels."""
    points = np.asarray(points_mm, dtype=np.float64)
    lifted = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    flat: NDArray[np.float64] = lifted[:, :2] / lifted[:, 2:]
    return flat


def corners_mm(pose: Pose) -> NDArray[np.float64]:
    """The card's corners on the table, clockwise from the upright face's top left."""
    turn = math.radians(pose.turn_deg)
    across = np.array([math.cos(turn), math.sin(turn)]) * WIDTH_MM / 2
    down = np.array([-math.sin(turn), math.cos(turn)]) * HEIGHT_MM / 2
    centre = np.array([pose.x_mm, pose.y_mm])
    return np.array(
        [
            centre - across - down,
            centre + across - down,
            centre + across + down,
            centre - across + down,
        ]
    )


def card_quad(matrix: NDArray[np.float64], pose: Pose) -> NDArray[np.float64]:
    """The same corners in pixels, (4, 2)."""
    return to_pixels(matrix, corners_mm(pose))
