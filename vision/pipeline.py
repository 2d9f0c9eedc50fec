"""From frames to sightings: the gate, the reader when it is needed, the tracker.

The reader is called only where something changed and now lies still, where a card is
still being voted on, or, now and then while cards lie, over the whole frame.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from engine.sightings import Sighting
from vision.frame import Frame, Image
from vision.layout import Layout
from vision.motion import Gate, GateSettings, Look, blobs
from vision.ports import Box, CardReader, Detection, EvidenceStore
from vision.track import Settling, Tracker

_EVIDENCE_SIDE_PX = 320


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingPlan:
    """When and where the reader is called. Times in microseconds, shares of the frame."""

    #: A change must have lain still this long before it is read.
    settle_us: int = 40_000
    #: A change beside something that moves waits for it, but no longer than this.
    unrest_us: int = 400_000
    #: A change in which the reader finds nothing is tried this often before it is let be.
    tries: int = 3
    #: Time between two readings of a change.
    retry_us: int = 120_000
    #: While cards lie, the whole frame is read at least this often.
    whole_every_us: int = 5_000_000
    #: A region is grown by this share of the frame's height on every side.
    margin: float = 0.09
    #: Regions that make up more of the frame than this are read as one whole frame.
    whole_share: float = 0.45


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Counts since the start, for the health page. Milliseconds of the process's own clock."""

    frames: int = 0
    reads: int = 0
    whole_reads: int = 0
    gate_ms: float = 0.0
    read_ms: float = 0.0
    last_read_ms: float = 0.0
    sightings: int = 0


class Pipeline:
    """One table's eyes. ``process`` every frame in order, then ``flush`` when they end."""

    def __init__(
        self,
        reader: CardReader,
        layout: Layout,
        evidence: EvidenceStore | None = None,
        *,
        settling: Settling | None = None,
        plan: ReadingPlan | None = None,
        gate: GateSettings | None = None,
    ) -> None:
        self._reader = reader
        self._evidence = evidence
        self._plan = plan or ReadingPlan()
        self._gate = Gate(gate)
        self._tracker = Tracker(layout=layout, gate=self._gate, settling=settling)
        self._statistics = Statistics()
        self._last: tuple[Look, Image] | None = None
        self._whole_us: int | None = None
        self._first_tries = 0
        self._tried: list[tuple[Box, int, int]] = []
        self._again: list[Box] = []

    @property
    def statistics(self) -> Statistics:
        return self._statistics

    def relayout(self, layout: Layout) -> None:
        """Take seats from this layout from the next frame on: the table was calibrated anew."""
        self._tracker.relayout(layout)

    def process(self, frame: Frame) -> list[Sighting]:
        """The sightings this frame completes, oldest conclusion first."""
        began = time.perf_counter()
        look = self._gate.look(frame)
        fresh = self._fresh(look)
        regions = self._regions(look, fresh)
        gated = time.perf_counter()
        if regions is None or regions:
            self._read(look, frame.image, regions, fresh)
        read = time.perf_counter()
        sightings = self._tracker.conclude(look, lambda box: self._keep(frame.image, box))
        self._gate.learn_bare(look, self._tracker.boxes())
        self._last = (look, frame.image)
        done = time.perf_counter()
        was = self._statistics
        has_read = regions is None or bool(regions)
        self._statistics = replace(
            was,
            frames=was.frames + 1,
            reads=was.reads + has_read,
            whole_reads=was.whole_reads + (regions is None),
            gate_ms=was.gate_ms + (gated - began + done - read) * 1e3,
            read_ms=was.read_ms + (read - gated) * 1e3,
            last_read_ms=(read - gated) * 1e3 if has_read else was.last_read_ms,
            sightings=was.sightings + len(sightings),
        )
        return sightings

    def flush(self, at_us: int) -> list[Sighting]:
        """The source has ended at ``at_us``: conclude what the evidence allows.

        A card that was still being voted on is reported if its readings agree, else as
        doubtful; a card that had gone has left.
        """
        if self._last is None:
            return []
        look, image = self._last
        last = replace(look, at_us=max(at_us, look.at_us))
        return self._tracker.finish(last, lambda box: self._keep(image, box))

    def _fresh(self, look: Look) -> list[Box]:
        """Boxes of the frame that changed since they were read and now lie still."""
        if look.covered:
            return []
        still_us = look.at_us - look.moved_at
        mask = look.changed & (still_us >= self._plan.settle_us)
        mask &= ~(look.hand & ~look.hand_idle)
        found = []
        for x0, y0, x1, y1 in blobs(mask, least_px=12):
            around = (slice(max(0, y0 - 3), y1 + 3), slice(max(0, x0 - 3), x1 + 3))
            inside = mask[y0:y1, x0:x1]
            waited_us = int(still_us[y0:y1, x0:x1][inside].min()) if inside.any() else 0
            if look.moved[around].any() and waited_us < self._plan.unrest_us:
                # The still part of something that moves: a hand, most likely.
                continue
            box = (x0 * look.scale_x, y0 * look.scale_y, x1 * look.scale_x, y1 * look.scale_y)
            if all(
                look.at_us - tried_us >= self._plan.retry_us
                for known, tried_us, _ in self._tried
                if _share_of_smaller(known, box) > 0.5
            ):
                found.append(box)
        return found

    def _regions(self, look: Look, fresh: Sequence[Box]) -> list[Box] | None:
        """Where to read now: boxes, nothing (an empty list), or the whole frame (None)."""
        if look.covered:
            return []
        asked = self._tracker.asks(look)
        if self._first_tries < self._plan.tries:
            # Whatever lies there already is no change: look at all of it, more than once.
            due = self._whole_us is None or look.at_us - self._whole_us >= self._plan.retry_us
            if due and self._last is not None:
                self._first_tries += 1
                return None
        elif (
            self._whole_us is not None
            and self._tracker.anything_shown()
            and look.at_us - self._whole_us >= self._plan.whole_every_us
            and not look.hand.any()
        ):
            return None
        wanted = [*asked, *fresh, *self._again]
        self._again = []
        if not wanted:
            return []
        margin = self._plan.margin * look.height_px
        regions = [_grown_within(box, margin, look) for box in wanted]
        regions = _joined([*regions], [_grown_within(b, 4.0, look) for b in self._tracker.boxes()])
        share = sum(_area(box) for box in regions) / (look.width_px * look.height_px)
        return None if share > self._plan.whole_share else regions

    def _read(
        self, look: Look, image: Image, regions: list[Box] | None, fresh: Sequence[Box]
    ) -> None:
        detections = self._reader.read(image, regions=regions)
        if regions is None:
            self._whole_us = look.at_us
        else:
            cut = [d for d in detections if _cut_by(d, regions, look)]
            detections = tuple(d for d in detections if d not in cut)
            # What a region cut is read whole next time.
            known = self._tracker.boxes()
            self._again = [
                d.box for d in cut if all(_share_of_smaller(d.box, box) < 0.5 for box in known)
            ]
        used = self._tracker.observe(look, image, detections, regions)
        self._mark(look, detections, used, regions, fresh)

    def _mark(
        self,
        look: Look,
        detections: Sequence[Detection],
        used: Sequence[Detection],
        regions: list[Box] | None,
        fresh: Sequence[Box],
    ) -> None:
        """Call a change read once its cards are known, or after a few tries in vain."""
        tried: list[tuple[Box, int, int]] = []
        for box in fresh:
            count = 1 + max(
                (n for known, _, n in self._tried if _share_of_smaller(known, box) > 0.5),
                default=0,
            )
            known_here = [d for d in used if _share_of_smaller(d.box, box) > 0.3]
            waiting = any(
                _share_of_smaller(d.box, box) > 0.3 for d in detections if d not in known_here
            )
            if (known_here and not waiting) or count >= self._plan.tries:
                self._gate.mark_read(look, [_grown_within(box, 2 * look.scale_x, look)])
            else:
                tried.append((box, look.at_us, count))
        recent = [
            entry
            for entry in self._tried
            if look.at_us - entry[1] < 2_000_000
            and not any(_share_of_smaller(entry[0], box) > 0.5 for box in fresh)
        ]
        self._tried = [*recent, *tried]

    def _keep(self, image: Image, box: Box) -> str | None:
        """Store a picture of the card with some of the table around it."""
        if self._evidence is None:
            return None
        height, width = image.shape[:2]
        margin = 0.25 * max(box[2] - box[0], box[3] - box[1])
        x0, y0 = max(0, int(box[0] - margin)), max(0, int(box[1] - margin))
        x1, y1 = min(width, int(box[2] + margin) + 1), min(height, int(box[3] + margin) + 1)
        if x1 <= x0 or y1 <= y0:
            return None
        crop = image[y0:y1, x0:x1]
        shrink = _EVIDENCE_SIDE_PX / max(crop.shape[:2])
        if shrink < 1:
            size = (max(1, round((x1 - x0) * shrink)), max(1, round((y1 - y0) * shrink)))
            crop = np.asarray(cv2.resize(crop, size, interpolation=cv2.INTER_AREA), np.uint8)
        else:
            crop = crop.copy()
        return self._evidence.keep(crop)


def _joined(regions: list[Box], cards: Sequence[Box]) -> list[Box]:
    """Regions grown to hold whole every known card they touch; overlapping ones made one."""
    merged = list(regions)
    changed = True
    while changed:
        changed = False
        for index, region in enumerate(merged):
            for card in cards:
                if _touch(region, card) and not _holds(region, card):
                    region = _around(region, card)
                    changed = True
            merged[index] = region
        for i in range(len(merged)):
            for j in range(i + 1, len(merged)):
                if _touch(merged[i], merged[j]):
                    merged[i] = _around(merged[i], merged.pop(j))
                    changed = True
                    break
            if changed:
                break
    return merged


def _cut_by(detection: Detection, regions: Sequence[Box], look: Look) -> bool:
    """Whether a region's edge inside the frame cuts the card: it was not read whole."""
    x0, y0, x1, y1 = detection.box
    for r in regions:
        if r[0] - 2 <= x0 and r[1] - 2 <= y0 and r[2] + 2 >= x1 and r[3] + 2 >= y1:
            return (
                (x0 - r[0] < 2 and r[0] > 1)
                or (y0 - r[1] < 2 and r[1] > 1)
                or (r[2] - x1 < 2 and r[2] < look.width_px - 1)
                or (r[3] - y1 < 2 and r[3] < look.height_px - 1)
            )
    return True


def _grown_within(box: Box, margin: float, look: Look) -> Box:
    return (
        max(0.0, box[0] - margin),
        max(0.0, box[1] - margin),
        min(float(look.width_px), box[2] + margin),
        min(float(look.height_px), box[3] + margin),
    )


def _area(box: Box) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def _touch(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _holds(outer: Box, inner: Box) -> bool:
    return (
        outer[0] <= inner[0]
        and outer[1] <= inner[1]
        and outer[2] >= inner[2]
        and outer[3] >= inner[3]
    )


def _around(a: Box, b: Box) -> Box:
    return (min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]))


def _share_of_smaller(a: Box, b: Box) -> float:
    if not _touch(a, b):
        return 0.0
    shared = _area((max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])))
    return shared / max(1e-9, min(_area(a), _area(b)))
