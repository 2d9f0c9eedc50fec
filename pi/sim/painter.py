"""Pictures of the simulated table: what a camera over it would give.

The still table is painted once and kept; only what moves is painted for each frame, and the
noise comes from a bank made beforehand, so that a frame costs a few milliseconds.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.cards import Card, Seat
from pi.sim.courts import WIDTH_MM
from pi.sim.dials import Dials
from pi.sim.faces import CORNER_MM, back_pixels, face_pixels
from pi.sim.lens import Lens, card_quad, homography, to_pixels
from pi.sim.stage import TOWARDS, Episode, Pose, Resting, flight_at, reach_at

Image = NDArray[np.uint8]

#: Cards are warped this many times too large and shrunk: smooth edges, no moire.
_SUPERSAMPLE: Final = 2
_NOISE_BANKS: Final = 3
_NOISE_PLAY_PX: Final = 64
#: Blue, green, red.
_CLOTHS: Final = ((72, 108, 38), (96, 62, 40), (58, 78, 60), (110, 120, 128))
_WOODS: Final = ((70, 112, 164), (52, 84, 128), (108, 146, 186))
_SKINS: Final = ((150, 180, 228), (120, 150, 205), (84, 112, 168), (60, 80, 124))
_SLEEVES: Final = ((92, 60, 44), (54, 52, 120), (70, 70, 74), (60, 96, 84))


@dataclass(frozen=True, slots=True)
class _Face:
    pixels: Image
    alpha: Image


class Painter:
    """Paints episodes of one table seen through one lens."""

    def __init__(self, *, lens: Lens, dials: Dials, seed: int) -> None:
        self.lens = lens
        self.matrix = homography(lens)
        self._dials = dials
        rng = random.Random(f"table {seed}")
        numbers = np.random.default_rng(rng.randrange(2**32))
        self._gain = _light(lens, dials, rng)
        self._ground = _ground(lens, self.matrix, self._gain, rng, numbers)
        self._noise = _noise_banks(lens, dials, numbers)
        self._glare = _glare(lens, dials, rng)
        self._skins = [rng.choice(_SKINS) for _ in range(4)]
        self._sleeves = rng.sample(_SLEEVES, 4)
        self._faces: dict[Card | None, _Face] = {}
        self._still: tuple[Resting, ...] = ()
        self._sharp = self._ground.copy()
        self._ready: Image | None = None
        self._noise_at = random.Random(f"noise {seed}")

    def frame(self, episode: Episode, at_us: int) -> Image:
        """The picture at that moment, a new array each time."""
        self._settle(episode.still)
        reaches = [
            (reach.seat, tip)
            for reach in episode.reaches
            if (tip := reach_at(reach, at_us)) is not None
        ]
        if episode.flights or reaches:
            picture = self._sharp.copy()
            for flight in episode.flights:
                pose, card = flight_at(flight, at_us)
                self._card(picture, card, pose)
            for seat, tip in reaches:
                self._hand(picture, seat, tip)
            return self._noisy(self._through_glass(picture))
        if self._ready is None:
            self._ready = self._through_glass(self._sharp.copy())
        return self._noisy(self._ready.copy())

    def quad(self, pose: Pose) -> NDArray[np.float64]:
        """Where a card lying so appears: its corners in pixels."""
        return card_quad(self.matrix, pose)

    # --- layers --------------------------------------------------------------------------------

    def _settle(self, still: tuple[Resting, ...]) -> None:
        """Bring the still picture up to date; a card that was added costs only itself."""
        if still == self._still:
            return
        if still[: len(self._still)] == self._still:
            fresh = still[len(self._still) :]
        else:
            self._sharp = self._ground.copy()
            fresh = still
        for card in fresh:
            self._card(self._sharp, card.card, card.pose)
        self._still = still
        self._ready = None

    def _through_glass(self, picture: Image) -> Image:
        """Glare and want of focus; works in place where it can."""
        if self._glare is not None:
            patch, x, y = self._glare
            height, width = patch.shape[:2]
            region = picture[y : y + height, x : x + width]
            cv2.add(region, patch, region)
        sigma = self._dials.blur * 2.0 * self.lens.width_px / 1280
        if sigma >= 0.15:
            size = 2 * math.ceil(2 * sigma) + 1
            return np.asarray(cv2.GaussianBlur(picture, (size, size), sigma), dtype=np.uint8)
        return picture

    def _noisy(self, picture: Image) -> Image:
        if not self._noise:
            return picture
        more, less = self._noise[self._noise_at.randrange(len(self._noise))]
        height, width = picture.shape[:2]
        y, x = (self._noise_at.randrange(_NOISE_PLAY_PX) for _ in range(2))
        cv2.add(picture, more[y : y + height, x : x + width], picture)
        cv2.subtract(picture, less[y : y + height, x : x + width], picture)
        return picture

    # --- cards ---------------------------------------------------------------------------------

    def _face(self, card: Card | None) -> _Face:
        if card not in self._faces:
            px_per_mm = self.lens.width_px / self.lens.field_mm * 1.3 * _SUPERSAMPLE
            width_px = round(WIDTH_MM * px_per_mm)
            pixels = (
                back_pixels(width_px=width_px)
                if card is None
                else face_pixels(card, width_px=width_px)
            )
            self._faces[card] = _Face(pixels, _rounded_mask(pixels.shape[0], width_px))
        return self._faces[card]

    def _card(self, picture: Image, card: Card | None, pose: Pose) -> None:
        quad = self.quad(pose)
        scale = self.lens.width_px / 1280
        margin = math.ceil(6 * scale)
        height, width = picture.shape[:2]
        x0 = max(math.floor(quad[:, 0].min()) - margin, 0)
        y0 = max(math.floor(quad[:, 1].min()) - margin, 0)
        x1 = min(math.ceil(quad[:, 0].max()) + margin, width)
        y1 = min(math.ceil(quad[:, 1].max()) + margin, height)
        if x1 - x0 < 2 or y1 - y0 < 2:
            return
        face = self._face(card)
        tall, wide = face.pixels.shape[:2]
        source = np.array([(0, 0), (wide, 0), (wide, tall), (0, tall)], np.float32) - 0.5
        target = ((quad - (x0, y0)) * _SUPERSAMPLE - 0.5).astype(np.float32)
        warp = cv2.getPerspectiveTransform(source, target)
        large = ((x1 - x0) * _SUPERSAMPLE, (y1 - y0) * _SUPERSAMPLE)
        small = (x1 - x0, y1 - y0)
        pixels = cv2.warpPerspective(
            face.pixels, warp, large, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        alpha = cv2.warpPerspective(face.alpha, warp, large, flags=cv2.INTER_LINEAR)
        pixels = cv2.resize(pixels, small, interpolation=cv2.INTER_AREA)
        alpha = cv2.resize(alpha, small, interpolation=cv2.INTER_AREA)
        over = alpha.astype(np.float32)[:, :, np.newaxis] * (1 / 255)
        shift = np.array([[1, 0, 1.5 * scale], [0, 1, 2.2 * scale]], np.float32)
        shadow = cv2.warpAffine(alpha, shift, small)
        shadow = cv2.GaussianBlur(shadow, (0, 0), 1.8 * scale)
        dim = 1 - shadow.astype(np.float32)[:, :, np.newaxis] * (0.38 / 255)
        region = picture[y0:y1, x0:x1]
        lit = pixels * self._gain[y0:y1, x0:x1, np.newaxis]
        blended = region * dim * (1 - over) + lit * over
        region[:] = np.clip(blended, 0, 255).astype(np.uint8)

    # --- hands ---------------------------------------------------------------------------------

    def _hand(self, picture: Image, seat: Seat, tip: tuple[float, float]) -> None:
        """An arm from the seat's side with its fingertips at ``tip`` (mm)."""
        along = np.array(tip) - shoulder_mm(seat, tip)
        along = along / np.hypot(*along)
        across = np.array([-along[1], along[0]])

        def at(points: Sequence[tuple[float, float]]) -> NDArray[np.float64]:
            """Points given as (behind the fingertips, to the side) in mm, in pixels."""
            local: NDArray[np.float64] = np.array(points)
            return to_pixels(
                self.matrix,
                np.array(tip) - np.outer(local[:, 0], along) + np.outer(local[:, 1], across),
            )

        scale = self.lens.width_px / self.lens.field_mm
        sleeve = at([(205, -44), (1100, -62), (1100, 62), (205, 44)])
        arm = at([(120, -36), (225, -29), (225, 29), (120, 36)])
        palm = at([(62, -36), (80, -41), (118, -41), (150, -32), (150, 32), (112, 41), (62, 36)])
        fingers = [
            (at([(78, side), (reach, side * 0.9)]), 17.5)
            for side, reach in ((-27, 16), (-9, 3), (9, 0), (27, 12))
        ]
        fingers.append((at([(116, 36), (64, 60)]), 20.0))
        height, width = picture.shape[:2]
        visible = np.vstack([sleeve[:2], palm, arm, *(line for line, _ in fingers)])
        visible = np.clip(visible, (-50, -50), (width + 50, height + 50))
        margin = round(34 * scale)
        x0 = int(np.clip(visible[:, 0].min() - margin, 0, width))
        x1 = int(np.clip(visible[:, 0].max() + margin, 0, width))
        y0 = int(np.clip(visible[:, 1].min() - margin, 0, height))
        y1 = int(np.clip(visible[:, 1].max() + margin, 0, height))
        sleeve_all = np.clip(sleeve, -4000, 4000)
        x0 = max(min(x0, int(sleeve_all[:, 0].min())), 0)
        x1 = min(max(x1, int(sleeve_all[:, 0].max()) + 1), width)
        y0 = max(min(y0, int(sleeve_all[:, 1].min())), 0)
        y1 = min(max(y1, int(sleeve_all[:, 1].max()) + 1), height)
        if x1 - x0 < 2 or y1 - y0 < 2:
            return
        region = picture[y0:y1, x0:x1]
        origin = np.array([x0, y0])

        def poly(canvas: Image, points: NDArray[np.float64], colour: Sequence[float]) -> None:
            fixed = np.round((points - origin - 0.5) * 16).astype(np.int32)
            cv2.fillPoly(canvas, [fixed], _scalar(colour), cv2.LINE_AA, 4)

        def capsule(
            canvas: Image, line: NDArray[np.float64], width_mm: float, colour: Sequence[float]
        ) -> None:
            (ax, ay), (bx, by) = np.round(line - origin).astype(int)
            thick = max(round(width_mm * scale), 1)
            cv2.line(canvas, (ax, ay), (bx, by), _scalar(colour), thick, cv2.LINE_AA)

        mask: Image = np.zeros((y1 - y0, x1 - x0), np.uint8)
        for part in (sleeve, arm, palm):
            poly(mask, part, (255,))
        for line, width_mm in fingers:
            capsule(mask, line, width_mm, (255,))
        drop = np.array([[1, 0, 9 * scale], [0, 1, 13 * scale]], np.float32)
        quarter = (max(mask.shape[1] // 4, 1), max(mask.shape[0] // 4, 1))
        soft = cv2.warpAffine(mask, drop, (mask.shape[1], mask.shape[0]))
        soft = cv2.resize(soft, quarter, interpolation=cv2.INTER_AREA)
        soft = cv2.GaussianBlur(soft, (0, 0), max(1.6 * scale, 0.5))
        soft = cv2.resize(soft, (mask.shape[1], mask.shape[0]))
        keep = cv2.cvtColor((255 - (soft * 0.42)).astype(np.uint8), cv2.COLOR_GRAY2BGR)
        region[:] = cv2.multiply(region, keep, scale=1 / 255)
        skin = self._skins[seat]
        dark = [0.8 * value for value in skin]
        light = [min(1.08 * value, 255.0) for value in skin]
        poly(region, arm, skin)
        for line, width_mm in fingers:
            capsule(region, line, width_mm + 2.4, dark)
        poly(region, palm, skin)
        for line, width_mm in fingers:
            capsule(region, line, width_mm - 1.2, skin)
        for line, width_mm in fingers[:4]:
            nail = np.array([line[1], line[1] + (line[0] - line[1]) * 0.12])
            capsule(region, nail, width_mm * 0.5, light)
        poly(region, sleeve, self._sleeves[seat])


def shoulder_mm(seat: Seat, tip: tuple[float, float]) -> NDArray[np.float64]:
    """Where the arm comes from whose fingertips are at ``tip``, far off the table.

    It stays in front of its seat, so the arm slants towards what it reaches for.
    """
    towards = np.array(TOWARDS[seat])
    base: NDArray[np.float64] = towards * np.array([900.0, 720.0])
    shoulder: NDArray[np.float64] = base + np.array(tip) * np.abs(towards[::-1]) * 0.45
    return shoulder


def _scalar(colour: Sequence[float]) -> tuple[float, ...]:
    return tuple(float(value) for value in colour)


def _rounded_mask(tall: int, wide: int) -> Image:
    radius = round(CORNER_MM / WIDTH_MM * wide)
    mask = np.zeros((tall, wide), np.uint8)
    cv2.rectangle(mask, (radius, 0), (wide - 1 - radius, tall - 1), 255, cv2.FILLED)
    cv2.rectangle(mask, (0, radius), (wide - 1, tall - 1 - radius), 255, cv2.FILLED)
    for x in (radius, wide - 1 - radius):
        for y in (radius, tall - 1 - radius):
            cv2.circle(mask, (x, y), radius, 255, cv2.FILLED, cv2.LINE_AA)
    return mask


def _light(lens: Lens, dials: Dials, rng: random.Random) -> NDArray[np.float32]:
    """How bright each pixel's light is: 1 is full; dimmer to one side and to the edges."""
    y, x = np.mgrid[0 : lens.height_px, 0 : lens.width_px].astype(np.float32)
    x = x / lens.width_px * 2 - 1
    y = y / lens.height_px * 2 - 1
    angle = rng.uniform(0, 2 * math.pi)
    slope = (x * math.cos(angle) + y * math.sin(angle)) * 0.22 * dials.shade
    edge = (x * x + y * y) * 0.16 * dials.shade
    gain: NDArray[np.float32] = np.clip(1 - 0.5 * dials.shade + slope - edge, 0.2, 1.0)
    return gain


def _ground(
    lens: Lens,
    matrix: NDArray[np.float64],
    gain: NDArray[np.float32],
    rng: random.Random,
    numbers: np.random.Generator,
) -> Image:
    """The bare table: a cloth or a board, lit."""
    wide, tall = 1700, 1300  # mm, a pixel each
    wood = rng.random() < 0.4
    colour = np.array(rng.choice(_WOODS if wood else _CLOTHS), np.float32)
    fine = numbers.normal(0, 1, (tall, wide)).astype(np.float32)
    if wood:
        grain = cv2.GaussianBlur(fine, (0, 0), sigmaX=60, sigmaY=1.4)
        broad = cv2.GaussianBlur(fine, (0, 0), sigmaX=150, sigmaY=9)
        pattern = grain / grain.std() * 0.05 + broad / broad.std() * 0.07
        for plank in range(0, tall, 170):
            pattern[plank : plank + 2] -= 0.28
    else:
        weave = cv2.GaussianBlur(fine, (0, 0), 0.8)
        cloud = cv2.GaussianBlur(fine, (0, 0), 40)
        pattern = weave / weave.std() * 0.055 + cloud / cloud.std() * 0.03
    cloth = np.clip(colour * (1 + pattern[:, :, np.newaxis]), 0, 255).astype(np.uint8)
    to_table = np.array([[1.0, 0, -wide / 2], [0, 1.0, -tall / 2], [0, 0, 1]])
    size = (lens.width_px, lens.height_px)
    seen = cv2.warpPerspective(
        cloth, matrix @ to_table, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REFLECT
    )
    lit: Image = np.clip(seen * gain[:, :, np.newaxis], 0, 255).astype(np.uint8)
    return lit


def _noise_banks(
    lens: Lens, dials: Dials, numbers: np.random.Generator
) -> list[tuple[Image, Image]]:
    """Pairs of what to add and what to take away; a larger sheet, cut anew for each frame."""
    sigma = 20.0 * dials.noise
    if sigma < 0.25:
        return []
    shape = (lens.height_px + _NOISE_PLAY_PX, lens.width_px + _NOISE_PLAY_PX, 3)
    banks = []
    for _ in range(_NOISE_BANKS):
        noise = numbers.normal(0, sigma, shape).astype(np.float32)
        banks.append(
            (
                np.clip(np.round(noise), 0, 255).astype(np.uint8),
                np.clip(np.round(-noise), 0, 255).astype(np.uint8),
            )
        )
    return banks


def _glare(lens: Lens, dials: Dials, rng: random.Random) -> tuple[Image, int, int] | None:
    """A bright patch over a part of the table: (what it adds, its left, its top)."""
    if dials.glare < 0.02:
        return None
    scale = lens.width_px / 1280
    wide, tall = round(300 * scale), round(190 * scale)
    y, x = np.mgrid[0:tall, 0:wide].astype(np.float32)
    away = ((x / wide - 0.5) * 2) ** 2 + ((y / tall - 0.5) * 2) ** 2
    patch = np.clip(1 - away, 0, 1) * 230 * dials.glare
    left = round(rng.uniform(0.15, 0.6) * lens.width_px)
    top = round(rng.uniform(0.1, 0.6) * lens.height_px)
    left, top = min(left, lens.width_px - wide), min(top, lens.height_px - tall)
    return np.repeat(patch[:, :, np.newaxis], 3, axis=2).astype(np.uint8), left, top
