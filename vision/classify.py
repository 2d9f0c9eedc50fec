"""The classifier: upright crops from the full picture to rank and suit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.cards import Card
from vision.find import IndexSpot
from vision.frame import Image

#: Crops are read in lots of these sizes: few shapes, few plans in the runtime. A crop costs the
#: same in any of them, so none is padded.
LOTS = (16, 8, 4, 2, 1)

#: An index that the picture's edge cuts off by more than this part of its height may be another's:
#: half a 3 is a J. Nothing on it is surer than this, which is enough to second another index of
#: the card (``SECONDED`` of vision/pair.py).
CUT_OFF, CUT_MOST = 0.1, 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexReading:
    """What one index says: probabilities of the likeliest names, best first, and of "none".

    ``none`` is the probability that it shows no rank we know; ``suit_seen`` that it shows
    one of our suits all the same (a foreign letter over a real suit).
    """

    spot: IndexSpot
    votes: tuple[tuple[Card, float], ...]
    none: float
    suit_seen: float

    @property
    def card(self) -> Card | None:
        """The likeliest name."""
        return self.votes[0][0] if self.votes else None

    @property
    def confidence(self) -> float:
        """Its probability."""
        return self.votes[0][1] if self.votes else 0.0


def cut_upright(
    image: Image, spot: IndexSpot, *, crop_px: tuple[int, int], index_px: float
) -> Image:
    """The index upright, ``index_px`` high, in the middle of ``crop_px`` (height, width)."""
    out_h, out_w = crop_px
    x, y, height = spot.x, spot.y, spot.height_px
    source: NDArray[Any] = image
    if height > 2 * index_px:
        # reduce by area first: a warp alone would skip pixels and break thin strokes
        reach = 2.2 * height
        x0, y0 = max(0, int(x - reach)), max(0, int(y - reach))
        x1 = min(source.shape[1], int(x + reach) + 1)
        y1 = min(source.shape[0], int(y + reach) + 1)
        factor = 1.4 * index_px / height
        source = cv2.resize(
            source[y0:y1, x0:x1], None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA
        )
        x, y, height = (x - x0) * factor, (y - y0) * factor, height * factor
    scale = index_px / height
    cos, sin = -spot.up_y * scale, spot.up_x * scale
    matrix = np.array(
        [
            [cos, sin, out_w / 2 - 0.5 - (cos * x + sin * y)],
            [-sin, cos, out_h / 2 - 0.5 - (-sin * x + cos * y)],
        ]
    )
    warped = cv2.warpAffine(
        source, matrix, (out_w, out_h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(warped, np.uint8)


def cut_off(spot: IndexSpot, width_px: int, height_px: int) -> float:
    """How far the index reaches out of the picture, in its own heights; 0 or less: not at all."""
    x, y, half = spot.x, spot.y, spot.height_px / 2
    # it is some half as wide as it is high
    reach_x = half * (abs(spot.up_x) + abs(spot.up_y) / 2)
    reach_y = half * (abs(spot.up_y) + abs(spot.up_x) / 2)
    out = max(reach_x - x, x + reach_x - width_px, reach_y - y, y + reach_y - height_px)
    return out / spot.height_px


def softmax(logits: NDArray[np.float32], temperature: float = 1.0) -> NDArray[np.float32]:
    """Probabilities along the last of two axes."""
    scaled = logits / np.float32(temperature)
    scaled -= scaled.max(axis=1, keepdims=True)
    grown = np.exp(scaled)
    shares: NDArray[np.float32] = grown / grown.sum(axis=1, keepdims=True)
    return shares


@dataclass(frozen=True, slots=True)
class InLots:
    """A session that is asked about any number of crops, in lots as long as ``LOTS`` allow."""

    session: Any

    def run(
        self, names: Sequence[str], feeds: dict[str, NDArray[np.float32]]
    ) -> list[NDArray[np.float32]]:
        """Outputs ``names`` for the crops in ``feeds``, at least one."""
        crops, parts, k = feeds["crops"], [], 0
        while k < len(crops):
            lot = next(n for n in LOTS if n <= len(crops) - k)
            parts.append(self.session.run(list(names), {"crops": crops[k : k + lot]}))
            k += lot
        return [np.concatenate(part) for part in zip(*parts, strict=True)]


def logits_of(
    session: Any, crops: Sequence[Image]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Rank and suit logits (N x 16, N x 5) of upright crops."""
    pixels = np.stack(crops).transpose(0, 3, 1, 2)
    batch = np.empty(pixels.shape, np.float32)
    np.multiply(pixels, np.float32(1 / 255), out=batch)
    rank, suit = session.run(["rank", "suit"], {"crops": batch})
    return rank, suit


def reading_of(
    spot: IndexSpot,
    rank: NDArray[np.float32],
    suit: NDArray[np.float32],
    *,
    ranks: Sequence[str],
    suits: Sequence[str],
    most: int = 3,
) -> IndexReading:
    """Names and their probabilities from the two heads' probabilities.

    A joker has no suit: its name has the probability of its rank alone.
    """
    votes: list[tuple[Card, float]] = []
    for r, p in zip(ranks, rank, strict=True):
        if r == "-" or p < 1e-4:
            continue
        if r in "Bb":
            votes.append((Card(r), float(p)))
            continue
        for s, q in zip(suits, suit, strict=True):
            if s != "-":
                votes.append((Card(r + s), float(p * q)))
    votes.sort(key=lambda v: -v[1])
    none = float(rank[ranks.index("-")])
    return IndexReading(
        spot=spot,
        votes=tuple(votes[:most]),
        none=none,
        suit_seen=1.0 - float(suit[suits.index("-")]),
    )


def read_spots(
    session: Any,
    image: Image,
    spots: Sequence[IndexSpot],
    *,
    crop_px: tuple[int, int],
    index_px: float,
    ranks: Sequence[str],
    suits: Sequence[str],
    temperature_rank: float,
    temperature_suit: float,
    turn_below: float = 0.5,
    turn_from_score: float = 0.3,
) -> list[IndexReading]:
    """Read every spot.

    What is not read at ``turn_below`` is tried the other way up too, where the finder is
    sure enough (``turn_from_score``) that there is an index at all.
    """
    if not spots:
        return []

    def attempt(some: Sequence[IndexSpot]) -> list[IndexReading]:
        crops = [cut_upright(image, s, crop_px=crop_px, index_px=index_px) for s in some]
        rank, suit = logits_of(session, crops)
        rank, suit = softmax(rank, temperature_rank), softmax(suit, temperature_suit)
        return [
            reading_of(s, rank[k], suit[k], ranks=ranks, suits=suits) for k, s in enumerate(some)
        ]

    readings = attempt(spots)
    doubtful = [
        k
        for k, r in enumerate(readings)
        if r.confidence < turn_below and r.spot.score >= turn_from_score
    ]
    if doubtful:
        for k, other in zip(doubtful, attempt([turned(spots[k]) for k in doubtful]), strict=True):
            # the other way up has to be clearly better: it is the finder's second choice
            if other.confidence > max(turn_below, readings[k].confidence + 0.2):
                readings[k] = other
    height, width = image.shape[:2]
    for k, reading in enumerate(readings):
        if cut_off(reading.spot, width, height) > CUT_OFF:
            votes = tuple((card, min(p, CUT_MOST)) for card, p in reading.votes)
            readings[k] = replace(reading, votes=votes)
    return readings


def turned(spot: IndexSpot) -> IndexSpot:
    """The same spot read the other way up; its card then lies on the other side."""
    return IndexSpot(
        x=spot.x,
        y=spot.y,
        up_x=-spot.up_x,
        up_y=-spot.up_y,
        height_px=spot.height_px,
        middle_x=spot.middle_x,
        middle_y=spot.middle_y,
        card_px=spot.card_px,
        score=spot.score * 0.9,
        seen_px=spot.seen_px,
    )


def angle_between(one: IndexSpot, two: IndexSpot) -> float:
    """The angle between two spots' "up", in degrees, 0 to 180."""
    dot = one.up_x * two.up_x + one.up_y * two.up_y
    return math.degrees(math.acos(max(-1.0, min(1.0, dot))))
