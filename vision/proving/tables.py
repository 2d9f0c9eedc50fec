"""Whole tables of cards, drawn at the camera's own size: cards, their pose, and a photograph.

This is another generator than the one the models are trained with (``training/scenes.py``):
whole frames, chosen poses, and one thing pushed at a time, so that both do not share faults.
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
from vision.proving.alter import defocus, lean_of, warmth_of
from vision.proving.count import WHOLE, Mark
from vision.training.faces import RANK_CLASSES, SUIT_CLASSES, Face, FaceIndex
from vision.training.textures import table_top


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Placed:
    """A card on the table: its middle and height in pixels of the flat frame, turned clockwise."""

    name: str | None
    face: Face
    x: float
    y: float
    card_px: float
    turn: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Light:
    """What the camera does. ``blur`` is the radius of defocus in index heights."""

    gain: float
    kelvin: float
    blur: float
    noise: float
    jpeg: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A card in the picture: box of what is seen, and what is seen of its indices.

    ``best_share``: of its best seen index; ``whole``: how many are seen whole;
    ``index_px``: that index's height in the picture; ``covered``: share of the face hidden;
    ``marks``: all its indices, hidden ones too.
    """

    name: str | None
    box: tuple[float, float, float, float]
    best_share: float
    whole: int
    index_px: float
    covered: float
    marks: tuple[Mark, ...] = ()

    @property
    def due(self) -> bool:
        """Whether the reader has to name it."""
        return self.name is not None and self.whole > 0

    def label(self) -> dict[str, Any]:
        return {"card": self.name, "box": list(self.box), "optional": not self.due}


def card_name_of(index: FaceIndex) -> str | None:
    """``Kh``, ``B``, or None where the index is foreign."""
    rank, suit = str(RANK_CLASSES[index.rank]), str(SUIT_CLASSES[index.suit])
    if rank == "-":
        return None
    if rank in "Bb":
        return rank
    return None if suit == "-" else rank + suit


def index_share(face: Face) -> float:
    """The height of a face's index over the face's own."""
    top, bottom = face.indices[0].box[1], face.indices[0].box[3]
    return (bottom - top) / face.size_px[1]


def ground(
    width_px: int, height_px: int, textures: Sequence[Image], rng: np.random.Generator
) -> Image:
    """A table top of any size: drawn at most 720 px wide and enlarged, then grained."""
    small = table_top(720, list(textures), rng)
    side = max(width_px, height_px)
    large = cv2.resize(small, (side, side), interpolation=cv2.INTER_LINEAR)
    return np.ascontiguousarray(large[:height_px, :width_px])


def _pose(card: Placed, lean: NDArray[np.float64]) -> NDArray[np.float64]:
    """From the face's pixels to the picture's."""
    width, height = card.face.size_px
    scale = card.card_px / height
    c, s = math.cos(card.turn) * scale, math.sin(card.turn) * scale
    place = np.array([[c, -s, card.x], [s, c, card.y], [0, 0, 1]])
    middle = np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 1.0]])
    return np.asarray(lean @ place @ middle)


def _through(matrix: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    there = np.c_[points, np.ones(len(points))] @ matrix.T
    return np.asarray(there[:, :2] / there[:, 2:])


def _lay(
    image: Image,
    owner: NDArray[np.int16],
    number: int,
    face: Face,
    pose: NDArray[np.float64],
    rng: np.random.Generator,
) -> None:
    height_px, width_px = image.shape[:2]
    width, height = face.size_px
    corners = _through(pose, np.array([[0, 0], [width, 0], [width, height], [0, height]], float))
    x0, y0 = np.maximum(np.floor(corners.min(axis=0)).astype(int) - 6, 0)
    x1 = min(int(np.ceil(corners[:, 0].max())) + 7, width_px)
    y1 = min(int(np.ceil(corners[:, 1].max())) + 7, height_px)
    if x1 - x0 < 3 or y1 - y0 < 3:
        return
    edge = (np.linalg.norm(corners[3] - corners[0]) + np.linalg.norm(corners[2] - corners[1])) / 2
    level, scale = 0, edge / height
    while scale < 0.7 and level < len(face.mips) - 1:
        scale, level = scale * 2, level + 1
    mip = face.mips[level]
    # pixel centres lie half a pixel in, on the reduced face and on the picture alike
    inwards = np.diag([width / mip.shape[1], height / mip.shape[0], 1.0]) @ np.array(
        [[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]]
    )
    move = np.array([[1, 0, -x0 - 0.5], [0, 1, -y0 - 0.5], [0, 0, 1]])
    laid = cv2.warpPerspective(mip, move @ pose @ inwards, (int(x1 - x0), int(y1 - y0)))
    area = image[y0:y1, x0:x1]
    shadow = cv2.GaussianBlur(np.roll(laid[..., 3], (2, 1), (0, 1)), (0, 0), 2.5)
    dimmed = area * (1 - rng.uniform(0.1, 0.4) * (shadow[..., None] / np.float32(255)))
    cover = laid[..., 3:].astype(np.float32) / 255
    area[:] = np.clip(dimmed * (1 - cover) + laid[..., :3] * cover, 0, 255).astype(np.uint8)
    owner[y0:y1, x0:x1][laid[..., 3] > 128] = number


def _seen(
    card: Placed, number: int, pose: NDArray[np.float64], owner: NDArray[np.int16]
) -> Seen | None:
    height_px, width_px = owner.shape
    width, height = card.face.size_px

    def visible(left: float, top: float, right: float, bottom: float, n: int) -> float:
        gx, gy = np.meshgrid(np.linspace(left, right, n), np.linspace(top, bottom, n))
        at = np.floor(_through(pose, np.c_[gx.ravel(), gy.ravel()])).astype(int)
        inside = (at >= 0).all(axis=1) & (at[:, 0] < width_px) & (at[:, 1] < height_px)
        seen = np.zeros(len(at), bool)
        seen[inside] = owner[at[inside, 1], at[inside, 0]] == number
        return float(seen.mean())

    marks = []
    for index in card.face.indices:
        left, top, right, bottom = index.box
        middle = (left + right) / 2
        head, centre, foot = _through(
            pose, np.array([[middle, top], [middle, (top + bottom) / 2], [middle, bottom]])
        )
        marks.append(
            Mark(
                x=float(centre[0]),
                y=float(centre[1]),
                height_px=float(np.linalg.norm(foot - head)),
                share=visible(left, top, right, bottom, 9),
            )
        )
    corners = _through(pose, np.array([[0, 0], [width, 0], [width, height], [0, height]], float))
    x0, y0 = np.maximum(np.floor(corners.min(axis=0)).astype(int), 0)
    x1, y1 = np.ceil(corners.max(axis=0)).astype(int) + 1
    rows, columns = np.nonzero(owner[y0:y1, x0:x1] == number)
    if not len(rows):
        return None
    best = max(marks, default=None, key=lambda m: m.share)
    return Seen(
        name=card.name,
        box=(
            float(x0 + columns.min()),
            float(y0 + rows.min()),
            float(x0 + columns.max() + 1),
            float(y0 + rows.max() + 1),
        ),
        best_share=best.share if best is not None else 0.0,
        whole=sum(m.share >= WHOLE for m in marks),
        index_px=best.height_px if best is not None else 0.0,
        covered=1.0 - visible(3, 3, width - 3, height - 3, 24),
        marks=tuple(marks),
    )


def photographed(image: Image, light: Light, index_px: float, rng: np.random.Generator) -> Image:
    """``image`` as a camera hands it over."""
    picture = defocus(image, light.blur * index_px, (), rng) if light.blur else image
    uneven = cv2.resize(
        rng.uniform(0.85, 1.1, (3, 4)).astype(np.float32),
        (image.shape[1], image.shape[0]),
        interpolation=cv2.INTER_CUBIC,
    )
    factors = light.gain * warmth_of(light.kelvin) ** (1 / 2.2)
    lit = picture * (uneven[..., None] * factors.astype(np.float32))
    if light.noise:
        lit += rng.standard_normal(lit.shape, dtype=np.float32) * np.float32(light.noise)
    out = np.clip(lit, 0, 255).astype(np.uint8)
    packed = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, light.jpeg])[1]
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)


def photograph_of(
    cards: Sequence[Placed],
    *,
    table: Image,
    lean_degrees: float,
    light: Light,
    rng: np.random.Generator,
) -> tuple[Image, list[Seen]]:
    """Lay ``cards`` one after another on ``table`` and photograph them.

    The picture is H x W x 3 (BGR, 8 bits); the camera leans any way by ``lean_degrees``.
    Cards of which nothing is seen are left out.
    """
    image = table.copy()
    height_px, width_px = image.shape[:2]
    owner = np.zeros((height_px, width_px), np.int16)
    lean = lean_of(width_px, height_px, lean_degrees, float(rng.uniform(0, 2 * math.pi)))
    poses = [_pose(card, lean) for card in cards]
    for k, (card, pose) in enumerate(zip(cards, poses, strict=True)):
        _lay(image, owner, k + 1, card.face, pose, rng)
    seen = [
        one
        for k, (card, pose) in enumerate(zip(cards, poses, strict=True))
        if (one := _seen(card, k + 1, pose, owner)) is not None
    ]
    heights = [s.index_px for s in seen if s.index_px > 0]
    index_px = float(np.median(heights)) if heights else 20.0
    return photographed(image, light, index_px, rng), seen
