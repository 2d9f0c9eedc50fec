"""The gate before the reader: what moved, what lies still, and where a hand is.

Every frame is shrunk to about 320 pixels wide (from the camera's own small picture where there
is one) and brought to the exposure of the frames before it; then a few comparisons of small
pictures tell, pixel by pixel, when something last moved there, whether the picture has changed
since the reader last saw it, and which part of it is a hand: something new that reaches in from
a side of the frame. A frame with nothing new costs this and no more. Thresholds follow the
camera's noise; limits are times.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Frame, Image
from vision.ports import Box

#: Small picture, height x width.
Mask: TypeAlias = NDArray[np.bool_]
Stamps: TypeAlias = NDArray[np.int64]

#: Long before any frame.
NEVER_US = -(2**62)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSettings:
    """Times in microseconds, grey levels of 0..255, and sizes of the small picture."""

    width_px: int = 320
    #: Motion is a difference to the picture this long ago, at any frame rate.
    lag_us: int = 65_000
    #: Where something moved this recently counts as the trail of an arm.
    trail_us: int = 350_000
    #: A still thing becomes part of the ground after this long, a still arm after that.
    absorb_us: int = 600_000
    absorb_arm_us: int = 5_000_000
    #: The ground follows slow light by one grey level at most this often.
    follow_every_us: int = 100_000
    #: Lowest thresholds; the noise raises them.
    motion_levels: float = 10.0
    change_levels: float = 16.0
    #: A hand may be nearly of the table's colour.
    faint_levels: float = 9.0
    noise_factor: float = 6.0
    #: Smallest change worth a reading, in small pixels.
    speck_px: int = 8
    #: The table counts as covered when this share of it moves or is hidden by arms, and as
    #: uncovered below the second share.
    covered_share: float = 0.35
    uncovered_share: float = 0.22


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Look:
    """What the gate saw in one frame. Arrays are of the small picture and must not be kept:
    ``moved_at``, ``ground``, ``bare`` and ``hand_from`` are the gate's own and change."""

    at_us: int
    #: Pixels of the frame per pixel of the small picture, across and down.
    scale_x: float
    scale_y: float
    width_px: int
    height_px: int
    small: Image
    moved: Mask
    #: When each pixel last moved.
    moved_at: Stamps
    #: Differs from what the reader last saw there.
    changed: Mask
    #: Something new reaching in from a side of the frame.
    hand: Mask
    #: Part of ``hand`` whose arm has not moved for a while.
    hand_idle: Mask
    #: Per side of the picture (0 top, 1 right, 2 bottom, 3 left): when each pixel last
    #: belonged to an arm from there.
    hand_from: tuple[Stamps, Stamps, Stamps, Stamps]
    #: What lies there when nothing is new: the table with the cards that have settled on it.
    ground: Image
    #: The table as it is with no card on it, as far as it has been seen.
    bare: Image
    #: Difference at which two small pixels show different things.
    change_levels: float
    covered: bool


class Gate:
    """Looks at every frame; remembers only small pictures."""

    def __init__(self, settings: GateSettings | None = None) -> None:
        self._set = settings or GateSettings()
        self._ring: deque[tuple[int, Image]] = deque()
        self._shape: tuple[int, ...] | None = None
        #: Deviation of one small pixel's noise in grey levels; below 0: not measured yet.
        self._noise = -1.0
        self._covered = False
        self._followed_us = self._bare_us = NEVER_US

    def look(self, frame: Frame) -> Look:
        """Take in the next frame; its stamp must not run backwards."""
        image, at_us = frame.image, frame.at_us
        if self._shape != image.shape:
            self._begin(frame)
        raw = self._shrink(frame)
        small = _match_exposure(raw, self._ground)
        before = self._before(at_us)
        difference = _apart(small, before)
        if self._ring:
            self._learn_noise(difference)
        moved_levels = max(self._set.motion_levels, self._set.noise_factor * self._noise)
        change_levels = max(self._set.change_levels, self._set.noise_factor * self._noise)
        moved = _without_specks(_above(difference, moved_levels))
        if moved.any():
            self._moved_at[_grown(moved)] = self._newest_us = at_us
        changed = _without_specks(_above(_apart(small, self._as_read), change_levels))
        over_ground = _apart(small, self._ground)
        new = _without_specks(_above(over_ground, change_levels))
        faint = max(self._set.faint_levels, self._set.noise_factor * self._noise)
        hand, idle = self._arms(_without_specks(_above(over_ground, faint)), at_us)
        self._settle_ground(small, new, hand, at_us)
        self._judge_covered(moved, hand)
        self._ring.append((at_us, small))
        height, width = small.shape[:2]
        return Look(
            at_us=at_us,
            scale_x=image.shape[1] / width,
            scale_y=image.shape[0] / height,
            width_px=image.shape[1],
            height_px=image.shape[0],
            small=small,
            moved=moved,
            moved_at=self._moved_at,
            changed=changed,
            hand=hand,
            hand_idle=idle,
            hand_from=self._hand_from,
            ground=self._ground,
            bare=self._bare,
            change_levels=change_levels,
            covered=self._covered,
        )

    def mark_read(self, look: Look, regions: Sequence[Box] | None) -> None:
        """The reader has seen these boxes of the frame (None: all of it)."""
        if regions is None:
            self._as_read[:] = look.small
            return
        for region in regions:
            rows, columns = small_slices(look, region)
            self._as_read[rows, columns] = look.small[rows, columns]

    def learn_bare(self, look: Look, cards: Sequence[Box]) -> None:
        """Take the ground as the bare table wherever neither a card nor a hand lies."""
        if look.at_us - self._bare_us < self._set.follow_every_us:
            return
        self._bare_us = look.at_us
        free = ~look.hand & (look.at_us - self._moved_at > self._set.absorb_us)
        for box in cards:
            free[small_slices(look, box, grow=0.15)] = False
        self._bare[free] = self._ground[free]

    def since_at_rest(self, look: Look, box: Box) -> int:
        """The stamp of the first kept frame from which ``box`` looks as it does now.

        Hands may have passed over it since: two thirds of it showing is enough.
        """
        rows, columns = small_slices(look, box)
        now = look.small[rows, columns]
        first_us = look.at_us
        for at_us, small in reversed(self._ring):
            same = ~differing(small[rows, columns], now, look.change_levels)
            if same.size and float(same.mean()) < 0.66:
                break
            first_us = at_us
        return first_us

    def _begin(self, frame: Frame) -> None:
        image, at_us = frame.image, frame.at_us
        self._shape = image.shape
        self._factor = max(1, round(image.shape[1] / self._set.width_px))
        small = self._shrink(frame)
        height, width = small.shape[:2]
        self._ring.clear()
        self._ground = small.copy()
        self._bare = small.copy()
        self._as_read = small.copy()
        self._moved_at: Stamps = np.full((height, width), at_us, np.int64)
        #: The newest of those stamps.
        self._newest_us = at_us
        sides = tuple(np.full((height, width), NEVER_US, np.int64) for _ in range(4))
        self._hand_from: tuple[Stamps, Stamps, Stamps, Stamps] = sides  # type: ignore[assignment]
        self._followed_us = at_us
        self._bare_us = at_us
        self._first_us = at_us

    def _shrink(self, frame: Frame) -> Image:
        image = frame.image
        height, width = image.shape[0] // self._factor, image.shape[1] // self._factor
        if frame.small is not None and frame.small.shape[1] >= width:
            # The camera's own scaler has looked at every pixel.
            image = frame.small
        elif self._factor > 3:
            # Four pixels of each block are enough: to average all of a large frame would take
            # longer than everything else here.
            image = np.asarray(
                cv2.resize(image, (2 * width, 2 * height), interpolation=cv2.INTER_NEAREST)
            )
        small = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)
        return np.asarray(small, np.uint8)

    def _before(self, at_us: int) -> Image:
        """The newest kept small picture at least the lag older than ``at_us``, or the oldest."""
        while self._ring and at_us - self._ring[0][0] > 1_500_000 and len(self._ring) > 2:
            self._ring.popleft()
        for stamp, small in reversed(self._ring):
            if at_us - stamp >= self._set.lag_us:
                return small
        return self._ring[0][1] if self._ring else self._ground

    def _learn_noise(self, difference: NDArray[np.uint8]) -> None:
        sample = difference[1::4, 1::4].ravel()
        # The quieter half of the picture: things that move seldom fill more than the other.
        # Of three channels' largest difference, that half's mean is 1.2 deviations of noise.
        half = max(1, sample.size // 2)
        measured = float(np.partition(sample, half - 1)[:half].mean()) / 1.2
        rate = 0.3 if measured > self._noise else 0.05
        self._noise = measured if self._noise < 0 else self._noise + rate * (measured - self._noise)

    def _arms(self, new: Mask, at_us: int) -> tuple[Mask, Mask]:
        """What is new and reaches in from a side; and the part of it that has long been idle."""
        height, width = new.shape
        hand = np.zeros((height, width), np.bool_)
        idle = np.zeros((height, width), np.bool_)
        for part, side in _reaching_in(new, least_px=self._set.speck_px):
            part &= new
            hand |= part
            self._hand_from[side][part] = at_us
            if at_us - int(self._moved_at[part].max()) > self._set.absorb_us // 2:
                idle |= part
        # An arm of the table's own colour shows in pieces; the trail of its motion joins them.
        trail = new
        if at_us - self._newest_us <= self._set.trail_us:
            trail = new | (self._moved_at >= at_us - self._set.trail_us)
        # At first everything counts as having moved just now.
        if at_us - self._first_us > self._set.trail_us and trail.any():
            for part, side in _reaching_in(trail, least_px=self._set.speck_px):
                self._hand_from[side][part] = at_us
        return hand, idle

    def _settle_ground(self, small: Image, new: Mask, hand: Mask, at_us: int) -> None:
        """Let the ground follow slow light, and take in what has lain still long enough."""
        if new.any():
            still_us = at_us - self._moved_at
            wait = np.where(hand, self._set.absorb_arm_us, self._set.absorb_us)
            settled = new & (still_us > wait)
            self._ground[settled] = small[settled]
        if self._ring and at_us - self._followed_us >= self._set.follow_every_us:
            # Where nothing is new, follow one level at a time: no noise gets in.
            self._followed_us = at_us
            up = cv2.threshold(cv2.subtract(small, self._ground), 2, 1, cv2.THRESH_BINARY)[1]
            down = cv2.threshold(cv2.subtract(self._ground, small), 2, 1, cv2.THRESH_BINARY)[1]
            if new.any():
                up[new] = down[new] = 0
            followed = cv2.subtract(cv2.add(self._ground, up), down)
            self._ground = np.asarray(followed, np.uint8)

    def _judge_covered(self, moved: Mask, hand: Mask) -> None:
        share = np.count_nonzero(moved | hand) / moved.size
        limit = self._set.uncovered_share if self._covered else self._set.covered_share
        self._covered = share > limit


def small_slices(look: Look, box: Box, *, grow: float = 0.0) -> tuple[slice, slice]:
    """Rows and columns of the small picture under ``box`` of the frame, at least one pixel.

    ``grow`` adds that share of the box's own size on every side (negative: shrinks it).
    """
    height, width = look.small.shape[:2]
    x0, y0, x1, y1 = box
    dx, dy = (x1 - x0) * grow, (y1 - y0) * grow
    left = min(width - 1, max(0, int((x0 - dx) / look.scale_x)))
    top = min(height - 1, max(0, int((y0 - dy) / look.scale_y)))
    right = min(width, max(left + 1, int(np.ceil((x1 + dx) / look.scale_x))))
    bottom = min(height, max(top + 1, int(np.ceil((y1 + dy) / look.scale_y))))
    return slice(top, bottom), slice(left, right)


def differing(a: Image, b: Image, levels: float) -> Mask:
    """Where two small pictures of one size show different things."""
    return _above(_apart(a, b), levels)


def blobs(mask: Mask, *, least_px: int) -> list[tuple[int, int, int, int]]:
    """Boxes (x0, y0, x1, y1 in small pixels) of the parts of ``mask``, near ones made one."""
    if not mask.any():
        return []
    joined = cv2.dilate(mask.astype(np.uint8), np.ones((7, 7), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    sizes = np.bincount(labels[mask], minlength=count)
    height, width = mask.shape
    found = []
    for label in range(1, count):
        x, y, w, h, _ = (int(v) for v in stats[label])
        if sizes[label] >= least_px:
            # The box of the dilated part, less what the dilation added.
            found.append((x + 3 * (x > 0), y + 3 * (y > 0), x + w - 3, y + h - 3))
    return [
        (x0, y0, min(width, max(x1, x0 + 1)), min(height, max(y1, y0 + 1)))
        for x0, y0, x1, y1 in found
    ]


def _reaching_in(mask: Mask, *, least_px: int) -> list[tuple[Mask, int]]:
    """The parts of ``mask`` that cross a side of the frame, small gaps closed, and the side."""
    height, width = mask.shape
    if not (mask[:2].any() or mask[-2:].any() or mask[:, :2].any() or mask[:, -2:].any()):
        return []
    closed = cv2.dilate(mask.astype(np.uint8), np.ones((5, 5), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=8)
    found = []
    for label in range(1, count):
        x, y, w, h, area = (int(v) for v in stats[label])
        if area < least_px:
            continue
        # How much of each side of the frame it crosses: top, right, bottom, left.
        crossed = [0, 0, 0, 0]
        if y <= 0:
            crossed[0] = int((mask[:2] & (labels[:2] == label)).any(axis=0).sum())
        if x + w >= width:
            crossed[1] = int((mask[:, -2:] & (labels[:, -2:] == label)).any(axis=1).sum())
        if y + h >= height:
            crossed[2] = int((mask[-2:] & (labels[-2:] == label)).any(axis=0).sum())
        if x <= 0:
            crossed[3] = int((mask[:, :2] & (labels[:, :2] == label)).any(axis=1).sum())
        if max(crossed) >= 2:
            found.append((labels == label, crossed.index(max(crossed))))
    return found


def _match_exposure(small: Image, ground: Image) -> Image:
    """The picture at the ground's exposure and white balance: each channel by one factor."""
    now = small[2::5, 2::5].reshape(-1, 3).T.astype(np.float32, order="C") + 4.0
    then = ground[2::5, 2::5].reshape(-1, 3).T.astype(np.float32, order="C") + 4.0
    factors = _medians(then / now)
    if np.all(np.abs(factors - 1.0) < 0.01):
        return small
    factors = np.clip(factors, 0.4, 2.5)
    levels = np.arange(256, dtype=np.float32)[:, None] * factors[None, :]
    table = np.clip(np.rint(levels), 0, 255).astype(np.uint8).reshape(256, 1, 3)
    return np.asarray(cv2.LUT(small, table), np.uint8)


def _medians(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each row's median, in a third of the time of ``np.median``."""
    middle = rows.shape[1] // 2
    if rows.shape[1] % 2:
        return np.asarray(np.partition(rows, middle, axis=1)[:, middle], np.float32)
    parted = np.partition(rows, (middle - 1, middle), axis=1)
    return np.asarray(parted[:, middle - 1 : middle + 1].mean(axis=1), np.float32)


def _above(difference: NDArray[np.uint8], levels: float) -> Mask:
    """Where a difference is more than ``levels``: compared in whole levels, not in floats."""
    return difference > np.uint8(min(255, max(0, math.floor(levels))))


def _apart(a: Image, b: Image) -> NDArray[np.uint8]:
    """By how much two small pictures differ, pixel by pixel, in the channel that differs most."""
    blue, green, red = cv2.split(cv2.absdiff(a, b))
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)


def _without_specks(mask: Mask) -> Mask:
    """Only pixels with most of a 3x3 neighbourhood alike: noise does not clump."""
    if not mask.any():
        return mask
    near = cv2.boxFilter(mask.astype(np.uint8), cv2.CV_8U, (3, 3), normalize=False)
    return mask & (near >= 4)


def _grown(mask: Mask) -> Mask:
    return cv2.dilate(mask.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(np.bool_)
