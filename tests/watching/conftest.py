"""A small drawn table for the tests of watching: cards, hands, and a reader that knows them.

Pictures are really drawn and really looked at by the motion gate; only the reading is
scripted, from what is truly visible in the picture, with faults where a test asks for them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np
import pytest

from engine.cards import Card
from engine.sightings import Sighting
from vision.frame import Frame, Image
from vision.layout import Layout
from vision.pipeline import Pipeline
from vision.ports import Box, Detection

CARD_PX = (30, 42)
#: Where the seats' hands come from and where their cards are laid, for a frame of 640x360.
AWAY = ((0, -1), (1, 0), (0, 1), (-1, 0))
OFF_PX = (240, 380, 240, 380)
PLAY_PX = (56, 60, 56, 60)

Point = tuple[float, float]


@dataclass(slots=True, kw_only=True)
class Item:
    """A card with its way: (seconds, x, y, degrees, face up) from the first time to the last."""

    card: str
    keys: list[tuple[float, float, float, float, bool]]
    gone_s: float = math.inf

    def at(self, s: float) -> tuple[float, float, float, bool] | None:
        if s < self.keys[0][0] or s >= self.gone_s:
            return None
        before = self.keys[0]
        for after in self.keys[1:]:
            if s < after[0]:
                share = (s - before[0]) / max(1e-9, after[0] - before[0])
                x, y, turn = (
                    b + (a - b) * share for b, a in zip(before[1:4], after[1:4], strict=True)
                )
                return x, y, turn, before[4]
            before = after
        return before[1], before[2], before[3], before[4]

    def moving(self, s: float) -> bool:
        now, then = self.at(s), self.at(s - 0.04)
        return now is None or then is None or math.dist(now[:2], then[:2]) > 1.0


@dataclass(slots=True, kw_only=True)
class Hand:
    seat: int
    keys: list[tuple[float, float, float]]

    def at(self, s: float) -> Point | None:
        if not self.keys[0][0] <= s < self.keys[-1][0]:
            return None
        for before, after in zip(self.keys, self.keys[1:], strict=False):
            if s < after[0]:
                share = (s - before[0]) / max(1e-9, after[0] - before[0])
                return (
                    before[1] + (after[1] - before[1]) * share,
                    before[2] + (after[2] - before[2]) * share,
                )
        return None


#: (at_us, card, what would be read) -> what is read instead, or None for nothing.
Fault = Callable[[int, str, Detection], Detection | None]


@dataclass(slots=True, kw_only=True)
class Tabletop:
    """Say what happens, then ``watch``. Times in seconds, places in pixels of 640x360."""

    fps: float = 12.0
    scale: float = 1.0
    noise: float = 2.0
    light: Callable[[float], float] = lambda s: 1.0
    items: list[Item] = field(default_factory=list)
    hands: list[Hand] = field(default_factory=list)
    fault: Fault | None = None
    shake: Callable[[float], Point] = lambda s: (0.0, 0.0)
    #: The width of the small picture that the camera makes itself; 0: it makes none.
    small_px: int = 0
    reads: int = 0
    pipeline: Pipeline | None = None
    _ground: Image | None = None
    _noise: np.ndarray | None = None
    _drawn: tuple[float, Image, np.ndarray] | None = None

    # --- what happens -------------------------------------------------------------------------

    def spot(self, seat: int, aside: float = 0.0, away: float | None = None) -> Point:
        dx, dy = AWAY[seat]
        far = PLAY_PX[seat] if away is None else away
        return 320 + dx * far - dy * aside, 180 + dy * far + dx * aside

    def off(self, seat: int) -> Point:
        dx, dy = AWAY[seat]
        return 320 + dx * OFF_PX[seat], 180 + dy * OFF_PX[seat]

    def lay(
        self,
        card: str,
        seat: int,
        at_s: float,
        *,
        where: Point | None = None,
        turn: float = 8.0,
        face_up: bool = True,
        linger_s: float = 0.1,
    ) -> Item:
        """A hand from ``seat`` lays the card, at rest at ``at_s``, and leaves."""
        x, y = where if where is not None else self.spot(seat)
        turn += 90.0 if seat % 2 and where is None else 0.0
        off = self.off(seat)
        item = Item(
            card=card,
            keys=[(at_s - 0.4, *off, turn + 10, face_up), (at_s, x, y, turn, face_up)],
        )
        tip = self._tip((x, y), seat)
        self.items.append(item)
        self.hands.append(
            Hand(
                seat=seat,
                keys=[
                    (at_s - 0.4, *off),
                    (at_s, *tip),
                    (at_s + linger_s, *tip),
                    (at_s + linger_s + 0.3, *off),
                ],
            )
        )
        return item

    def there(self, card: str, where: Point, *, turn: float = 5.0, face_up: bool = True) -> Item:
        """A card that lies there from the first frame on."""
        item = Item(card=card, keys=[(-10.0, *where, turn, face_up)])
        self.items.append(item)
        return item

    def take(self, items: Sequence[Item], seat: int, at_s: float) -> None:
        """The hand of ``seat`` takes the cards from ``at_s`` on; they are off 0.4 s later."""
        off = self.off(seat)
        x, y, _, _ = items[-1].at(at_s) or (320.0, 180.0, 0.0, True)
        tip = self._tip((x, y), seat)
        for item in items:
            place = item.at(at_s)
            assert place is not None
            item.keys += [(at_s, *place), (at_s + 0.4, *off, place[2], place[3])]
            item.gone_s = at_s + 0.4
        self.hands.append(
            Hand(
                seat=seat,
                keys=[(at_s - 0.35, *off), (at_s - 0.05, *tip), (at_s, *tip), (at_s + 0.4, *off)],
            )
        )

    def turn_down(self, item: Item, seat: int, at_s: float) -> None:
        place = item.at(at_s)
        assert place is not None
        item.keys += [(at_s, *place), (at_s, place[0] + 3, place[1] + 2, place[2] + 4, False)]
        self.reach(seat, at_s, (place[0], place[1]), for_s=0.3)

    def slide(self, item: Item, seat: int, at_s: float, by: Point) -> None:
        """A hand pushes the card along by so many pixels."""
        place = item.at(at_s)
        assert place is not None
        x, y, turn, face_up = place
        item.keys += [(at_s, *place), (at_s + 0.3, x + by[0], y + by[1], turn + 5, face_up)]
        off, tip = self.off(seat), self._tip((x, y), seat)
        end = (tip[0] + by[0], tip[1] + by[1])
        self.hands.append(
            Hand(
                seat=seat,
                keys=[(at_s - 0.3, *off), (at_s, *tip), (at_s + 0.3, *end), (at_s + 0.7, *off)],
            )
        )

    def reach(self, seat: int, at_s: float, where: Point, *, for_s: float = 0.6) -> None:
        """A hand comes over the place at ``at_s``, stays, and goes."""
        off = self.off(seat)
        self.hands.append(
            Hand(
                seat=seat,
                keys=[
                    (at_s - 0.35, *off),
                    (at_s, *where),
                    (at_s + for_s, where[0] + 1, where[1] + 1),
                    (at_s + for_s + 0.35, *off),
                ],
            )
        )

    def _tip(self, place: Point, seat: int) -> Point:
        dx, dy = AWAY[seat]
        return place[0] + dx * 14, place[1] + dy * 14

    # --- looking ------------------------------------------------------------------------------

    def watch(self, until_s: float, *, layout: Layout | None = None) -> list[Sighting]:
        """Every sighting up to the end of the clip, those of the flush included."""
        self.pipeline = Pipeline(self, layout or Layout())
        found: list[Sighting] = []
        for frame in self.frames(until_s):
            found += self.pipeline.process(frame)
        return found + self.pipeline.flush(round(until_s * 1e6))

    def frames(self, until_s: float) -> list[Frame]:
        frames = []
        for index in range(math.ceil(until_s * self.fps)):
            at_us = round(index * 1e6 / self.fps)
            image = self.picture(at_us)
            frames.append(Frame(at_us=at_us, image=image, small=self._small(image)))
        return frames

    def _small(self, image: Image) -> Image | None:
        """As a Pi's scaler makes it: every pixel counts, colours at half the resolution."""
        if not self.small_px:
            return None
        size = (self.small_px, self.small_px * image.shape[0] // image.shape[1])
        shrunk = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        planes = cv2.cvtColor(shrunk, cv2.COLOR_BGR2YUV_I420)
        return np.asarray(cv2.cvtColor(planes, cv2.COLOR_YUV2BGR_I420), np.uint8)

    def picture(self, at_us: int) -> Image:
        s = at_us / 1e6
        image, _ = self._draw(s)
        lit = image.astype(np.float32) * self.light(s)
        rng = np.random.default_rng(at_us + 1)
        lit += np.roll(self._grain(image.shape), int(rng.integers(0, lit.size)))
        image = np.clip(lit, 0, 255).astype(np.uint8)
        # The scripted reader finds the moment of a picture again by a mark no one sees.
        image[0, :2] = np.frombuffer(at_us.to_bytes(6, "little"), np.uint8).reshape(2, 3)
        return image

    def _grain(self, shape: tuple[int, ...]) -> np.ndarray:
        """Noise of one picture; the next one's is the same, rolled far away."""
        if self._noise is None:
            rng = np.random.default_rng(11)
            self._noise = rng.normal(0.0, self.noise, shape).astype(np.float32)
        return self._noise

    def read(self, image: Image, regions: Sequence[Box] | None = None) -> tuple[Detection, ...]:
        self.reads += 1
        at_us = int.from_bytes(image[0, :2].tobytes(), "little")
        s = at_us / 1e6
        _, owner = self._draw(s)
        found = []
        for number, item in enumerate(self.items, start=1):
            place = item.at(s)
            if place is None:
                continue
            whole = max(1, int(CARD_PX[0] * CARD_PX[1] * self.scale**2 * 0.92))
            visible = owner == number
            if regions is not None:
                inside = np.zeros_like(visible)
                for x0, y0, x1, y1 in regions:
                    inside[int(y0) : math.ceil(y1), int(x0) : math.ceil(x1)] = True
                visible = visible & inside
            share = min(1.0, float(visible.sum()) / whole)
            if share < 0.2:
                continue
            ys, xs = np.nonzero(visible)
            box = (float(xs.min()), float(ys.min()), float(xs.max() + 1), float(ys.max() + 1))
            detection = self._reading(item, place[3], share, item.moving(s), box)
            if self.fault is not None:
                faulty = self.fault(at_us, item.card, detection)
                if faulty is None:
                    continue
                detection = faulty
            found.append(detection)
        return tuple(found)

    def _reading(
        self, item: Item, face_up: bool, share: float, moving: bool, box: Box
    ) -> Detection:
        if not face_up:
            return Detection(kind="back", card=None, confidence=0.98, box=box)
        card = Card(item.card)
        if share > 0.5 and not moving:
            return Detection(
                kind="card", card=card, confidence=0.99, box=box, votes=((card, 0.99),)
            )
        other = Card("9c" if card != "9c" else "9s")
        return Detection(
            kind="unsure",
            card=card,
            confidence=0.6,
            box=box,
            votes=((card, 0.6), (other, 0.3)),
            why="low",
        )

    def _draw(self, s: float) -> tuple[Image, np.ndarray]:
        """The picture and, pixel by pixel, whose it is: item numbers from 1, hands -1."""
        k = self.scale
        width, height = round(640 * k), round(360 * k)
        if self._ground is None:
            rng = np.random.default_rng(7)
            cloth = rng.normal(0, 9, (height // 4 + 1, width // 4 + 1, 1)).astype(np.float32)
            cloth = cv2.resize(cloth, (width, height))[..., None]
            self._ground = np.clip(np.array([60, 95, 45]) + cloth, 0, 255).astype(np.uint8)
        if self._drawn is not None and self._drawn[0] == s:
            return self._drawn[1].copy(), self._drawn[2]
        image = self._ground.copy()
        owner = np.zeros((height, width), np.int32)
        dx, dy = self.shake(s)
        for number, item in enumerate(self.items, start=1):
            place = item.at(s)
            if place is None:
                continue
            x, y, turn, face_up = place
            face = _face(item.card if face_up else "back")
            half = math.ceil(27 * k)
            left, top = round((x + dx) * k) - half, round((y + dy) * k) - half
            right, bottom = min(width, left + 2 * half), min(height, top + 2 * half)
            left, top = max(0, left), max(0, top)
            if left >= right or top >= bottom:
                continue
            matrix = cv2.getRotationMatrix2D((face.shape[1] / 2, face.shape[0] / 2), -turn, k / 4)
            matrix[:, 2] += (
                (x + dx) * k - left - face.shape[1] / 2,
                (y + dy) * k - top - face.shape[0] / 2,
            )
            size = (right - left, bottom - top)
            mask = cv2.warpAffine(np.full(face.shape[:2], 255, np.uint8), matrix, size)
            drawn = cv2.warpAffine(face, matrix, size, flags=cv2.INTER_AREA)
            on = mask > 127
            image[top:bottom, left:right][on] = drawn[on]
            owner[top:bottom, left:right][on] = number
        for hand in self.hands:
            tip = hand.at(s)
            if tip is None:
                continue
            ax, ay = AWAY[hand.seat]
            a = (round(tip[0] * k), round(tip[1] * k))
            b = (round((tip[0] + ax * 22) * k), round((tip[1] + ay * 22) * k))
            c = (round((tip[0] + ax * 700) * k), round((tip[1] + ay * 700) * k))
            arm = np.zeros((height, width), np.uint8)
            cv2.line(arm, b, c, 255, round(26 * k))
            image[arm > 0] = (70, 50, 50)
            skin = np.zeros((height, width), np.uint8)
            cv2.line(skin, a, b, 255, round(20 * k))
            image[skin > 0] = (110, 145, 205)
            owner[(arm > 0) | (skin > 0)] = -1
        self._drawn = (s, image, owner)
        return image.copy(), owner


@lru_cache(maxsize=64)
def _face(name: str) -> Image:
    """A card four times as large, with marks that differ from card to card."""
    height, width = CARD_PX[1] * 4, CARD_PX[0] * 4
    face = np.full((height, width, 3), 238, np.uint8)
    if name == "back":
        face[:] = (150, 60, 40)
        face[::8] = (210, 160, 150)
        face[:, ::8] = (210, 160, 150)
    else:
        rng = np.random.default_rng(sum(ord(c) * 31**i for i, c in enumerate(name)))
        colour = (40, 40, 200) if name[-1] in "dh" else (40, 40, 40)
        for _ in range(7):
            x, y = int(rng.integers(20, width - 20)), int(rng.integers(20, height - 20))
            cv2.circle(face, (x, y), int(rng.integers(7, 13)), colour, -1)
    cv2.rectangle(face, (0, 0), (width - 1, height - 1), (90, 90, 90), 3)
    return face


@pytest.fixture
def table() -> Tabletop:
    """An empty table at twelve frames a second."""
    return Tabletop()


@pytest.fixture
def tabletop() -> type[Tabletop]:
    """The table's own type, for tests that want another rate, size or light."""
    return Tabletop
