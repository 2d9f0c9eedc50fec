"""Notices that the camera was moved: what stood still in the picture stands elsewhere now.

At calibration a few hundred corners of whatever the picture shows are described (ORB, 32 bytes
each; no picture is kept). Later looks match them again. Cards, hands and cups come and go, so
only what most matched corners agree on counts, and only for some seconds on end.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Frame, Image

_WIDTH_PX: Final = 640
_MOST: Final = 400
#: Fewer landmarks than this, and a moved camera cannot be told from another picture.
LEAST: Final = 40
#: So many must agree on one movement.
_AGREEING: Final = 16
#: The camera counts as moved when a corner of the picture has wandered this share of its width.
MOVED_SHARE: Final = 0.012
#: How often to look, and how long a movement must last to be believed.
LOOK_EVERY_US: Final = 5_000_000
BELIEVE_US: Final = 12_000_000

State: TypeAlias = Literal["unknown", "in_place", "moved"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Landmarks:
    """``points``: (n, 2) in pixels of a picture 640 wide; ``words``: (n, 32) bytes."""

    points: NDArray[np.float32]
    words: NDArray[np.uint8]

    @property
    def enough(self) -> bool:
        return len(self.points) >= LEAST


def landmarks_in(image: Image, *, without: Sequence[NDArray[np.float64]] = ()) -> Landmarks:
    """The landmarks of a picture, none of them inside the outlines ``without`` (pixels, (n, 2)):
    the printed sheet, or cards, that will not lie there later."""
    grey, scale = _small(image)
    mask = np.full(grey.shape, 255, np.uint8)
    for outline in without:
        cv2.fillPoly(mask, [np.round(np.asarray(outline) * scale).astype(np.int32)], 0)
    orb = cv2.ORB_create(nfeatures=_MOST, fastThreshold=12)
    points, words = orb.detectAndCompute(grey, mask)
    if words is None:
        return Landmarks(points=np.zeros((0, 2), np.float32), words=np.zeros((0, 32), np.uint8))
    return Landmarks(
        points=np.array([p.pt for p in points], np.float32), words=np.asarray(words, np.uint8)
    )


def moved_share(known: Landmarks, image: Image) -> float | None:
    """How far the picture's farthest corner has wandered, as a share of its width.

    None where too few landmarks were found again to say anything.
    """
    if not known.enough:
        return None
    grey, _ = _small(image)
    now = landmarks_in(image)
    if len(now.points) < _AGREEING:
        return None
    pairs = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(known.words, now.words)
    pairs = [pair for pair in pairs if pair.distance < 50]
    if len(pairs) < _AGREEING:
        return None
    before = known.points[[pair.queryIdx for pair in pairs]]
    after = now.points[[pair.trainIdx for pair in pairs]]
    matrix, agreeing = cv2.estimateAffinePartial2D(
        before, after, method=cv2.RANSAC, ransacReprojThreshold=2.5
    )
    if matrix is None or int(agreeing.sum()) < max(_AGREEING, len(pairs) // 4):
        return None
    height, width = grey.shape
    corners = np.array([(0, 0), (width, 0), (0, height), (width, height)], np.float64)
    there = corners @ np.asarray(matrix)[:, :2].T + np.asarray(matrix)[:, 2]
    return float(np.linalg.norm(there - corners, axis=1).max()) / width


class BumpWatch:
    """Give it every frame; it looks at one every five seconds and says where things stand."""

    def __init__(self, known: Landmarks) -> None:
        self._known = known
        self._looked_us: int | None = None
        self._since_us: int | None = None
        self._state: State = "unknown"

    @property
    def state(self) -> State:
        """``unknown`` until enough of the landmarks were seen once."""
        return self._state

    def see(self, frame: Frame) -> State | None:
        """The new state where this frame changed it, else None."""
        if self._looked_us is not None and 0 <= frame.at_us - self._looked_us < LOOK_EVERY_US:
            return None
        self._looked_us = frame.at_us
        share = moved_share(self._known, frame.image)
        if share is None or math.isnan(share):
            # Lamp out, hands all over the table: this look says nothing.
            return None
        if share < MOVED_SHARE:
            self._since_us = None
            return self._become("in_place")
        if self._since_us is None or frame.at_us < self._since_us:
            self._since_us = frame.at_us
        if frame.at_us - self._since_us >= BELIEVE_US:
            return self._become("moved")
        return None

    def _become(self, state: State) -> State | None:
        if state == self._state:
            return None
        self._state = state
        return state


def to_plain(known: Landmarks) -> dict[str, Any]:
    """Landmarks as JSON values."""
    return {
        "points": [[round(float(x), 2), round(float(y), 2)] for x, y in known.points],
        "words": base64.b64encode(known.words.tobytes()).decode("ascii"),
    }


def from_plain(values: Mapping[str, Any]) -> Landmarks:
    """The landmarks that :func:`to_plain` wrote. Raises ValueError where they are not that."""
    points = np.array(values.get("points", []), np.float32).reshape(-1, 2)
    words = np.frombuffer(base64.b64decode(str(values.get("words", ""))), np.uint8)
    if words.size != len(points) * 32:
        raise ValueError(f"{len(points)} landmarks with {words.size} bytes: 32 belong to each")
    return Landmarks(points=points, words=words.reshape(-1, 32))


def _small(image: Image) -> tuple[NDArray[np.uint8], float]:
    height, width = image.shape[:2]
    scale = _WIDTH_PX / width
    size = (_WIDTH_PX, max(1, round(height * scale)))
    shrunk = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(shrunk, cv2.COLOR_BGR2GRAY), np.uint8), scale
