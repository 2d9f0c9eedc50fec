"""A reader that cannot err: it knows what lies on the simulated table and what hides it.

It stands in for the model where the watching and the rules are to be tried alone, and fast.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.cards import Card, Seat
from pi.sim.lens import corners_mm, to_pixels
from pi.sim.painter import shoulder_mm
from pi.sim.stage import Pose, flight_at, reach_at
from pi.sim.table import SimTable
from vision.frame import Image
from vision.ports import Box, Detection, Quad

#: Half the width of a hand, fingers and thumb.
_HAND_MM: Final = 46.0
#: The middle of the index at either corner, from the card's centre, as shares of its sides.
_INDEX: Final = ((-0.395, -0.36), (0.395, 0.36))


class TrueReader:
    """Reads the last picture of ``table`` from the truth; the pixels are not looked at."""

    def __init__(self, table: SimTable) -> None:
        self._table = table

    def read(self, image: Image, regions: Sequence[Box] | None = None) -> tuple[Detection, ...]:
        height, width = image.shape[:2]
        return tuple(
            detection
            for detection in self._seen(width, height)
            if regions is None or any(_meet(detection.box, region) for region in regions)
        )

    def _seen(self, width: int, height: int) -> Iterator[Detection]:
        episode = self._table.episode
        if episode is None:
            return
        at_us = self._table.now_us
        lying = [(card.card, card.pose) for card in episode.still]
        for flight in episode.flights:
            pose, card = flight_at(flight, at_us)
            lying.append((card, pose))
        hands = [
            (reach.seat, tip)
            for reach in episode.reaches
            if (tip := reach_at(reach, at_us)) is not None
        ]
        for at, (card, pose) in enumerate(lying):
            above = [corners_mm(other) for _, other in lying[at + 1 :]]
            detection = self._one(card, pose, above, hands, width, height)
            if detection is not None:
                yield detection

    def _one(
        self,
        card: Card | None,
        pose: Pose,
        above: Sequence[NDArray[np.float64]],
        hands: Sequence[tuple[Seat, tuple[float, float]]],
        width: int,
        height: int,
    ) -> Detection | None:
        quad = self._table.painter.quad(pose)
        x0, y0 = np.maximum(quad.min(axis=0), 0)
        x1, y1 = np.minimum(quad.max(axis=0), (width, height))
        if x1 - x0 < 8 or y1 - y0 < 8:
            return None
        box: Box = (float(x0), float(y0), float(x1), float(y1))
        outline = _quad(quad)
        points = index_points_mm(pose) if card is not None else [(pose.x_mm, pose.y_mm)]
        visible = [p for p in points if not _hidden(p, above, hands)]
        pixels = to_pixels(self._table.painter.matrix, points)
        inside = [0 < x < width and 0 < y < height for x, y in pixels]
        if not any(
            shown in visible and within for shown, within in zip(points, inside, strict=True)
        ):
            return None
        if card is None:
            return Detection(kind="back", card=None, confidence=0.99, box=box, quad=outline)
        return Detection(
            kind="card", card=card, confidence=0.99, box=box, quad=outline, votes=((card, 0.99),)
        )


def index_points_mm(pose: Pose) -> list[tuple[float, float]]:
    """Where the card's two indices are on the table."""
    turn = math.radians(pose.turn_deg)
    cos, sin = math.cos(turn), math.sin(turn)
    return [
        (
            pose.x_mm + x * 63 * cos - y * 88 * sin,
            pose.y_mm + x * 63 * sin + y * 88 * cos,
        )
        for x, y in _INDEX
    ]


def _hidden(
    point: tuple[float, float],
    above: Sequence[NDArray[np.float64]],
    hands: Sequence[tuple[Seat, tuple[float, float]]],
) -> bool:
    for corners in above:
        if cv2.pointPolygonTest(corners.astype(np.float32), point, measureDist=False) >= 0:
            return True
    return any(_from_hand(point, seat, tip) < _HAND_MM for seat, tip in hands)


def _from_hand(point: tuple[float, float], seat: Seat, tip: tuple[float, float]) -> float:
    """How far the point is from the line of the arm, in mm."""
    start, end = np.array(tip), shoulder_mm(seat, tip)
    along = end - start
    share = float(np.clip(np.dot(np.array(point) - start, along) / np.dot(along, along), 0, 1))
    return float(np.hypot(*(np.array(point) - start - share * along)))


def _quad(corners: NDArray[np.float64]) -> Quad:
    a, b, c, d = ((float(x), float(y)) for x, y in corners)
    return (a, b, c, d)


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
