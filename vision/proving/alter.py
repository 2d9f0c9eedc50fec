"""One condition at a time, done to a photograph: darkness, warmth, glare, lean, blur and the rest.

Each works on pictures of H x W x 3, BGR, 8 bits. Nothing here was used in training.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.ports import Box

#: picture, step, the cards' boxes, random numbers -> altered picture.
Alteration: TypeAlias = Callable[[Image, float, Sequence[Box], np.random.Generator], Image]


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A ladder: from a step that changes nothing to a harsh one."""

    name: str
    unit: str
    steps: tuple[float, ...]
    alter: Alteration


def shrunk(
    image: Image, cards: Sequence[dict[str, Any]], factor: float
) -> tuple[Image, list[dict[str, Any]]]:
    """A smaller copy (by area) with its labels' boxes."""
    if factor >= 1:
        return image, list(cards)
    height, width = image.shape[:2]
    size = (max(8, round(width * factor)), max(8, round(height * factor)))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    across, down = size[0] / width, size[1] / height
    moved = []
    for card in cards:
        if "box" in card:
            x0, y0, x1, y1 = card["box"]
            card = card | {"box": [x0 * across, y0 * down, x1 * across, y1 * down]}
        moved.append(card)
    return np.asarray(small, np.uint8), moved


def dark(image: Image, factor: float, boxes: Sequence[Box], rng: np.random.Generator) -> Image:
    """Every value multiplied by ``factor``, with the noise of a dim picture (deviation 2)."""
    if factor >= 1:
        return image
    dimmed = image.astype(np.float32) * factor + rng.normal(0, 2, image.shape)
    return np.clip(np.rint(dimmed), 0, 255).astype(np.uint8)


def _planck(nanometres: float, kelvin: float) -> float:
    """Radiance of a black body, up to a constant factor."""
    return nanometres**-5 / (math.exp(1.4388e7 / (nanometres * kelvin)) - 1)


def warmth_of(kelvin: float) -> NDArray[np.float32]:
    """Factors of blue, green and red in linear light, against daylight of 6500 K, red kept.

    Planck's law at 465, 545 and 610 nm: a camera whose white balance stays at daylight.
    """
    ratios = [_planck(n, kelvin) / _planck(n, 6500) for n in (465, 545, 610)]
    return np.array([r / ratios[2] for r in ratios], np.float32)


def warm(image: Image, kelvin: float, boxes: Sequence[Box], rng: np.random.Generator) -> Image:
    """The photograph as under a lamp of ``kelvin``; values are taken as sRGB (gamma 2.2)."""
    if kelvin >= 6500:
        return image
    levels = np.arange(256, dtype=np.float32)[:, None] * warmth_of(kelvin) ** (1 / 2.2)
    lut = np.clip(np.rint(levels), 0, 255).astype(np.uint8).reshape(256, 1, 3)
    return np.asarray(cv2.LUT(image, lut), np.uint8)


def glare(image: Image, strength: float, boxes: Sequence[Box], rng: np.random.Generator) -> Image:
    """A bright patch on every second card (or mid-picture): ``strength`` of white at its heart.

    Its radius is a third of the card's shorter side, its place random within the card.
    """
    if strength <= 0:
        return image
    height, width = image.shape[:2]
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
    lit = image.astype(np.float32)
    for x0, y0, x1, y1 in list(boxes)[::2] or [(0.0, 0.0, float(width), float(height))]:
        radius = min(x1 - x0, y1 - y0) / 3
        x, y = rng.uniform(x0, x1), rng.uniform(y0, y1)
        patch = np.exp(-((xs - x) ** 2 + (ys - y) ** 2) / (radius * radius))
        lit += (255 * strength) * patch[..., None]
    return np.clip(lit, 0, 255).astype(np.uint8)


def lean_of(width_px: int, height_px: int, degrees: float, turn: float) -> NDArray[np.float64]:
    """The homography of a flat picture seen from ``degrees`` off its normal, leaning to ``turn``.

    The camera stands two long sides away; scale at the middle stays 1.
    """
    angle, far = math.radians(degrees), 2.0 * max(width_px, height_px)
    c, s = math.cos(turn), math.sin(turn)
    spin = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    lean = np.array([[1, 0, 0], [0, math.cos(angle), 0], [0, math.sin(angle) / far, 1]])
    middle = np.array([[1, 0, width_px / 2], [0, 1, height_px / 2], [0, 0, 1]])
    return np.asarray(middle @ spin.T @ lean @ spin @ np.linalg.inv(middle), np.float64)


def leaned(
    image: Image, cards: Sequence[dict[str, Any]], degrees: float, turn: float
) -> tuple[Image, list[dict[str, Any]]]:
    """The photograph leaned, on a canvas that holds all of it, with its labels' boxes."""
    if degrees <= 0:
        return image, list(cards)
    height, width = image.shape[:2]
    matrix = lean_of(width, height, degrees, turn)

    def through(points: Sequence[tuple[float, float]]) -> NDArray[np.float64]:
        there = np.array([[*p, 1.0] for p in points]) @ matrix.T
        return np.asarray(there[:, :2] / there[:, 2:])

    corners = through([(0, 0), (width, 0), (width, height), (0, height)])
    low, high = np.floor(corners.min(axis=0)), np.ceil(corners.max(axis=0))
    move = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1]])
    size = (int(high[0] - low[0]), int(high[1] - low[1]))
    out = cv2.warpPerspective(
        image, move @ matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    moved = []
    for card in cards:
        if "box" in card:
            x0, y0, x1, y1 = card["box"]
            there = through([(x0, y0), (x1, y0), (x1, y1), (x0, y1)]) - low
            card = card | {"box": [*there.min(axis=0), *there.max(axis=0)]}
        moved.append(card)
    return np.asarray(out, np.uint8), moved


def defocus(image: Image, radius: float, boxes: Sequence[Box], rng: np.random.Generator) -> Image:
    """An unfocused lens: every point a disc of ``radius`` pixels."""
    if radius <= 0:
        return image
    reach = math.ceil(radius)
    ys, xs = np.mgrid[-reach : reach + 1, -reach : reach + 1].astype(np.float32)
    # the disc's edge falls off over one pixel, so that half steps differ
    disc = np.clip(radius + 0.5 - np.hypot(xs, ys), 0, 1)
    return np.asarray(cv2.filter2D(image, -1, disc / disc.sum()), np.uint8)


def motion_kernel(length_px: float, angle: float) -> NDArray[np.float32]:
    """A line of ``length_px`` through the middle, drawn eightfold and brought down by area."""
    side = math.ceil(length_px) // 2 * 2 + 3
    large = np.zeros((side * 8, side * 8), np.float32)
    mid, half = side * 4, length_px * 4
    dx, dy = math.cos(angle) * half, math.sin(angle) * half
    cv2.line(
        large,
        (round(mid - dx), round(mid - dy)),
        (round(mid + dx), round(mid + dy)),
        1.0,
        8,
    )
    kernel = cv2.resize(large, (side, side), interpolation=cv2.INTER_AREA)
    return np.asarray(kernel / kernel.sum(), np.float32)


def motion(image: Image, length: float, boxes: Sequence[Box], rng: np.random.Generator) -> Image:
    """A straight smear of ``length`` pixels, any way."""
    if length <= 0:
        return image
    kernel = motion_kernel(length, float(rng.uniform(0, math.pi)))
    return np.asarray(cv2.filter2D(image, -1, kernel), np.uint8)


def jpeg(image: Image, quality: float, boxes: Sequence[Box], rng: np.random.Generator) -> Image:
    """Saved and opened again at ``quality``; 100 leaves the picture as it is."""
    if quality >= 100:
        return image
    packed = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(quality)])[1]
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)


def noise(image: Image, deviation: float, boxes: Sequence[Box], rng: np.random.Generator) -> Image:
    """Normal noise of ``deviation`` grey levels in each pixel and colour."""
    if deviation <= 0:
        return image
    noisy = image + rng.normal(0, deviation, image.shape)
    return np.clip(np.rint(noisy), 0, 255).astype(np.uint8)


#: ``lean`` is not here: it moves the labels too (:func:`leaned`).
CONDITIONS = (
    Condition(name="dark", unit="x", steps=(1, 0.5, 0.3, 0.2, 0.15, 0.1), alter=dark),
    Condition(name="warm", unit="K", steps=(6500, 4000, 3000, 2700, 2400, 2200), alter=warm),
    Condition(name="glare", unit="of white", steps=(0, 0.25, 0.5, 0.75, 1.0, 1.5), alter=glare),
    Condition(name="defocus", unit="px radius", steps=(0, 1, 1.5, 2, 3, 4), alter=defocus),
    Condition(name="motion", unit="px", steps=(0, 2, 3, 4, 6, 8), alter=motion),
    Condition(name="jpeg", unit="quality", steps=(100, 60, 40, 30, 20, 10), alter=jpeg),
    Condition(name="noise", unit="levels", steps=(0, 8, 16, 24, 32, 48), alter=noise),
)
LEAN_STEPS = (0.0, 15.0, 25.0, 35.0, 42.0, 50.0)
