"""Cards through time: readings of single pictures become cards that rest, stay and leave.

A track is one physical card. Cards that lie still claim their readings first; a reading that
nobody claims begins a new track, a *candidate*. A candidate counts once it has lain still
for a hold time with no hand over it and several readings agree; one that stays doubtful is
handed on as doubtful after a patience limit. Whether a card is still there is judged by
its own pixels, so a reader that misses it for a moment takes nothing from the table.

All limits are times, so 5 and 60 frames a second give the same sightings.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import cv2
import numpy as np

from engine.cards import ALL_CARDS, Card, Seat
from engine.sightings import (
    CardLeft,
    CardReread,
    CardRested,
    CardTurnedDown,
    Sighting,
    TableCleared,
    TableCovered,
    TableUncovered,
)
from vision.frame import Image
from vision.layout import Layout, lengths_from_middle, place_of, side_nearest
from vision.motion import NEVER_US, Gate, Look, Mask, differing, small_slices
from vision.ports import Box, Detection

Point: TypeAlias = tuple[float, float]
#: Probable names, likeliest first.
Votes: TypeAlias = tuple[tuple[Card, float], ...]
#: candidate: not reported yet. rested: reported, face up. down: reported once, now face down.
#: back: a face-down card, never reported.
TrackState: TypeAlias = Literal["candidate", "rested", "down", "back"]
#: Keeps a picture of what lies in the box and returns its name.
KeepPicture: TypeAlias = Callable[[Box], "str | None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settling:
    """When a card counts. Times in microseconds; the rest are probabilities and shares."""

    #: Lie still and free of hands this long, with three readings more than any rival name ...
    hold_us: int = 230_000
    #: ... or this long with two (a slow camera or a slow reader).
    slow_hold_us: int = 380_000
    #: Readings that are each less than sure: five more than any rival, over this long.
    weak_hold_us: int = 480_000
    #: After this long a doubtful card is handed on as doubtful.
    patience_us: int = 1_300_000
    #: One that lay this long is handed on as doubtful even when it is taken away before that.
    mention_us: int = 600_000
    #: A hand that has lain still over a card this long is no longer waited for.
    idle_hand_us: int = 1_500_000
    #: Time between two readings of the same card.
    read_every_us: int = 60_000
    #: A card is gone when it was looked for in vain over this long (and its place shows the
    #: bare table), or over the second time (whatever its place shows).
    gone_hold_us: int = 140_000
    gone_patience_us: int = 1_500_000
    #: A table is clear when the hand that swept it has gone, at most this long after the card.
    sweep_us: int = 600_000
    #: Card lengths from the middle of the table beyond which no trick is played.
    apart_lengths: float = 3.0
    #: Least probability of a name that counts, and least share of readings that name it.
    sure: float = 0.97
    agreeing_share: float = 0.4
    #: Readings a reported card still gets, to catch an early mistake.
    verify_readings: int = 6
    #: Readings remembered per card.
    memory: int = 24
    #: Least probability of a single reading: no picture can rule a name out for good.
    floor: float = 0.002


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one picture said of one card. ``spell`` counts the quiet times between motions."""

    at_us: int
    spell: int
    named: Card | None
    votes: Votes
    why: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """All readings of a card together.

    ``lead``: readings naming it beyond any rival's. ``share``: of the readings since something
    last moved there (of all, while those are fewer than four), how many name it. ``typical``:
    the probability that a reading which names it gives it.
    """

    votes: Votes
    leader: Card | None
    probability: float
    typical: float
    lead: int
    share: float
    count: int


@dataclass(slots=True, kw_only=True, eq=False)
class Track:
    """One physical card. Boxes in pixels of the frame; patches are of the small picture."""

    number: int
    state: TrackState
    box: Box
    centre: Point
    length_px: float
    rested_us: int
    patch: Image
    under: Image
    readings: list[Reading] = field(default_factory=list)
    spell: int = 0
    read_us: int = NEVER_US
    #: Since when it has lain still with no hand over it; None while it does not.
    free_since_us: int | None = None
    #: The longest that it has so far.
    free_us: int = 0
    looks: int = 0
    misses: int = 0
    missed_since_us: int | None = None
    name: Card | None = None
    laid_from: Seat | None = None
    #: Readings of a back in its place: its own, or that of a card it lay on.
    backs: int = 0
    back_since_us: int = 0
    bared: int = 0
    #: A face-down card as it looks in the frame, to know it again.
    picture: Image | None = None
    picture_box: Box | None = None
    #: Where a face lies now and what the picture read before showed there, the reader's word on it
    #: or not: the kitty is often covered before it was told for a back.
    before_box: Box | None = None
    before: Image | None = None
    reported_us: int = NEVER_US


class Tracker:
    """Turns readings into sightings. Fed with every look; readings come when it asks."""

    def __init__(self, *, layout: Layout, gate: Gate, settling: Settling | None = None) -> None:
        self._layout = layout
        self._gate = gate
        self._set = settling or Settling()
        self._tracks: list[Track] = []
        self._next = 1
        self._covered = False
        self._shown_since_clear = False
        #: Whether a card was reported since then that does not stand apart.
        self._trick_shown = False
        self._left_us = NEVER_US
        self._clear_us = self._cleared_us = NEVER_US
        #: The stamp of the first look, and the long sides of the last cards that were named.
        self._began_us: int | None = None
        #: Cards that were taken away before they could be named.
        self._lost: list[Track] = []
        self._lengths_px: deque[float] = deque(maxlen=9)
        #: The picture that was read last.
        self._read_image: Image | None = None
        #: When a moving hand was last over the table.
        self._hand_us = NEVER_US

    # --- what to read -------------------------------------------------------------------------

    def relayout(self, layout: Layout) -> None:
        """Take seats from this layout from now on; cards already told keep theirs."""
        self._layout = layout

    def asks(self, look: Look) -> list[Box]:
        """Boxes of cards that need another reading now."""
        if look.covered:
            return []
        return [
            track.box
            for track in self._tracks
            if look.at_us - track.read_us >= self._set.read_every_us
            and self._needs_reading(look, track)
            and not self._busy(look, track.box)
        ]

    def boxes(self) -> list[Box]:
        """Boxes of every card that is followed, face-down ones too."""
        return [track.box for track in self._tracks]

    def anything_shown(self) -> bool:
        """Whether a reported card lies on the table."""
        return any(track.state == "rested" for track in self._tracks)

    def _needs_reading(self, look: Look, track: Track) -> bool:
        match track.state:
            case "candidate":
                return True
            case "back" | "down":
                return False
            case "rested":
                pass
        if track.backs or track.bared:
            return True
        if track.missed_since_us is not None:
            # One hidden under another is not looked for without end.
            return look.at_us - track.missed_since_us < 2 * self._set.gone_patience_us
        if self._moved_us(look, track.box) > track.read_us:
            return True
        in_spell = sum(1 for reading in track.readings if reading.spell == track.spell)
        doubted = track.name is None or any(
            reading.named != track.name for reading in track.readings[-3:]
        )
        if doubted:
            return in_spell < 2 * self._set.verify_readings
        return len(track.readings) < self._set.verify_readings

    # --- readings -----------------------------------------------------------------------------

    def observe(
        self,
        look: Look,
        image: Image,
        detections: Sequence[Detection],
        regions: Sequence[Box] | None,
    ) -> list[Detection]:
        """Take the reader's answer for ``image``; return the detections that were used."""
        resting = [
            fitted
            for d in detections
            if not self._moving(look, d.box)
            and (fitted := self._fitted(look, d, detections)) is not None
        ]
        judged = [
            track
            for track in self._tracks
            if _within(track.box, regions) and not self._moving(look, track.box)
        ]
        for track in judged:
            if track.state == "rested":
                self._look_for_its_back(look, image, track, resting)
        pairs = sorted(
            (
                (score, track.number, index)
                for track in judged
                for index, detection in enumerate(resting)
                if (score := self._claim(look, track, detection)) > 0
            ),
            key=lambda pair: (-pair[0], pair[1], pair[2]),
        )
        by_number = {track.number: track for track in judged}
        claimed: dict[int, int] = {}
        taken: set[int] = set()
        for _, number, index in pairs:
            if number not in claimed and index not in taken:
                claimed[number] = index
                taken.add(index)
        for number, index in claimed.items():
            self._take_reading(look, by_number[number], resting[index])
        held = [by_number[number] for number in claimed]
        for track in held:
            if track.state == "back" and not self._under_newer(track):
                _portray(image, track)
        # Sure readings first: what they are made of is not new for a doubtful one.
        left = sorted(
            (detection for index, detection in enumerate(resting) if index not in taken),
            key=lambda d: (d.kind != "card", -d.confidence),
        )
        for detection in left:
            if self._is_part_of(detection, held):
                continue
            if detection.kind != "back" and (
                self._hand_over(look, detection.box)
                or not self._is_new(look, detection, detections)
            ):
                continue
            held.append(self._begin(look, detection))
            if detection.kind == "back":
                _portray(image, held[-1])
            elif self._read_image is not None:
                _remember_before(self._read_image, image, held[-1])
        for track in judged:
            if track.number not in claimed:
                self._miss(look, track)
        if not look.hand.any():
            self._read_image = image
        return resting

    def _claim(self, look: Look, track: Track, detection: Detection) -> float:
        """How well a reading fits a card that is followed: 0 not at all."""
        away = _apart(track, detection)
        overlap = _overlap(track.box, detection.box)
        near = overlap >= 0.5 and away < 0.45
        if track.state in ("back", "down"):
            if detection.kind == "back" and overlap >= 0.4:
                # A card that now shows its back keeps it from the kitty below.
                return 2.0 - min(1.0, away) + (0.5 if track.state == "down" else 0.0)
            same = self._kept(look, track) >= 0.85
            return 0.5 if detection.kind == "unsure" and near and same else 0.0
        if detection.kind == "back":
            if track.state == "candidate":
                # Doubtful so far, and now a back: it was one all along.
                nameless = all(reading.named is None for reading in track.readings)
                return 1.5 - min(0.4, away) if near and nameless else 0.0
            return 3.0 if track.backs and overlap > 0.3 and away < 0.8 else 0.0
        name = track.name or tally_of(track.readings, self._set).leader
        if name is not None and detection.card == name and (away < 0.6 or overlap > 0.5):
            return 4.0 - min(1.0, away)
        if not near:
            return 0.0
        if track.state == "candidate" or self._kept(look, track) >= 0.85:
            return 2.0 - min(1.0, away)
        # It was moved over: a doubtful reading may still be this card, a sure one is another.
        possible = dict(detection.votes).get(name, 0.0) if name is not None else 0.0
        if detection.kind == "unsure" and (possible >= 0.2 or track.name is None):
            return 1.0 - min(0.9, away)
        return 0.0

    def _take_reading(self, look: Look, track: Track, detection: Detection) -> None:
        if detection.kind == "back":
            if track.state == "rested":
                return
            if track.state == "candidate":
                track.state = "back"
        moved_us = self._moved_us(look, track.box)
        kept = self._kept(look, track)
        if moved_us > track.read_us and track.readings:
            track.spell += 1
            if track.state == "candidate" and kept < 0.8:
                # It was shifted before it counted: it comes to rest anew.
                track.readings.clear()
                track.looks = 0
                self._set_down(look, track, detection)
        track.looks += 1
        track.misses = 0
        track.missed_since_us = None
        track.backs = track.bared = 0
        track.read_us = look.at_us
        if track.state in ("back", "down"):
            if detection.kind == "back":
                self._place(look, track, detection)
            return
        track.readings.append(
            Reading(
                at_us=look.at_us,
                spell=track.spell,
                named=detection.card if detection.kind == "card" else None,
                votes=_votes_of(detection),
                why=detection.why,
            )
        )
        del track.readings[: -self._set.memory]
        if not self._has_card_size(detection):
            return
        larger = _area(detection.box) > 1.05 * _area(track.box)
        shifted = kept < 0.9 and _area(detection.box) > 0.7 * _area(track.box)
        if (larger and track.state == "candidate") or shifted:
            self._place(look, track, detection)

    def _has_card_size(self, detection: Detection) -> bool:
        """Whether it is no larger than the cards read before: else it is parts of several."""
        if detection.kind == "back" or len(self._lengths_px) < 2:
            return True
        usual = sorted(self._lengths_px)[len(self._lengths_px) // 2]
        x0, y0, x1, y1 = detection.box
        return pose_of(detection)[1] <= 1.4 * usual and max(x1 - x0, y1 - y0) <= 1.5 * usual

    def _fitted(
        self, look: Look, detection: Detection, seen: Sequence[Detection]
    ) -> Detection | None:
        """The detection, cut to what is new within it where it is too large for a card.

        Too large, it is either one card whose outline the reader misjudged, or pieces of
        several; None: nothing within it needs it.
        """
        if self._has_card_size(detection):
            return detection
        inside = [t for t in self._tracks if _overlap(t.box, detection.box) >= 0.6]
        if len(inside) == 1 and _apart(inside[0], detection) < 0.45:
            return detection
        usual_px = sorted(self._lengths_px)[len(self._lengths_px) // 2]
        rows, columns = small_slices(look, detection.box)
        strange = differing(look.small[rows, columns], look.bare[rows, columns], look.change_levels)
        for track in self._tracks:
            strange[_part(track.box, look, rows, columns)] = False
        for other in seen:
            if other is not detection and _area(other.box) < 0.9 * _area(detection.box):
                strange[_part(other.box, look, rows, columns)] = False
        area_px = float(strange.sum()) * look.scale_x * look.scale_y
        if area_px < 0.4 * 0.7 * usual_px**2:
            return None
        ys, xs = np.nonzero(strange)
        box = (
            (columns.start + float(xs.min())) * look.scale_x,
            (rows.start + float(ys.min())) * look.scale_y,
            (columns.start + float(xs.max()) + 1) * look.scale_x,
            (rows.start + float(ys.max()) + 1) * look.scale_y,
        )
        return replace(detection, box=box, quad=None)

    def _is_new(self, look: Look, detection: Detection, seen: Sequence[Detection]) -> bool:
        """Whether something lies there that is no part of the cards known already.

        A reader sometimes sees a card in pieces of two others; a card that was laid brought
        pixels of its own.
        """
        if self._began_us is None or look.at_us <= self._began_us + self._set.patience_us:
            # What lay there from the first frame brought nothing.
            return True
        rows, columns = small_slices(look, detection.box)
        now = look.small[rows, columns]
        fresh = differing(now, look.ground[rows, columns], look.change_levels)
        strange = differing(now, look.bare[rows, columns], look.change_levels)
        for track in self._tracks:
            part = _part(track.box, look, rows, columns)
            if track.state == "candidate":
                fresh[part] = False
            strange[part] = False
        for other in seen:
            if other is not detection and _area(other.box) < 0.9 * _area(detection.box):
                part = _part(other.box, look, rows, columns)
                fresh[part] = strange[part] = False
        return float(fresh.mean()) >= 0.12 or float(strange.mean()) >= 0.3

    def _begin(self, look: Look, detection: Detection) -> Track:
        centre, length = pose_of(detection)
        rows, columns = small_slices(look, detection.box)
        track = Track(
            number=self._next,
            state="back" if detection.kind == "back" else "candidate",
            box=detection.box,
            centre=centre,
            length_px=length,
            rested_us=look.at_us,
            patch=look.small[rows, columns].copy(),
            under=look.bare[rows, columns].copy(),
        )
        self._next += 1
        self._tracks.append(track)
        self._set_down(look, track, detection)
        self._take_reading(look, track, detection)
        return track

    def _set_down(self, look: Look, track: Track, detection: Detection) -> None:
        self._place(look, track, detection)
        inner = _grown(track.box, -0.1)
        track.rested_us = min(
            self._gate.since_at_rest(look, inner), max(0, self._moved_us(look, track.box))
        )
        track.laid_from = self._came_from(look, track)
        track.free_since_us = None

    def _place(self, look: Look, track: Track, detection: Detection) -> None:
        """Put the track where this reading is, and remember how it looks there."""
        if track.box != detection.box:
            rows, columns = small_slices(look, detection.box)
            track.under = look.bare[rows, columns].copy()
            track.box = detection.box
            track.centre, track.length_px = pose_of(detection)
        rows, columns = small_slices(look, track.box)
        track.patch = look.small[rows, columns].copy()

    def _miss(self, look: Look, track: Track) -> None:
        track.looks += 1
        track.read_us = look.at_us
        solid = track.state == "rested" or (
            track.state == "candidate" and self._is_thing(look, track)
        )
        if solid and self._kept(look, track) >= 0.85:
            # Its own pixels are there: the reader alone failed.
            track.misses = 0
            track.missed_since_us = None
            return
        track.misses += 1
        if track.missed_since_us is None:
            track.missed_since_us = look.at_us
        if track.state in ("back", "down") and self._under_newer(track):
            # Another card lies on it: it cannot be seen, so it is not missed.
            track.misses, track.missed_since_us = 0, None
            return
        long_missed = look.at_us - track.missed_since_us >= self._set.gone_hold_us
        if track.state != "rested" and track.misses >= 3 and long_missed:
            self._tracks.remove(track)
            if self._was_a_card(track):
                self._lost.append(track)

    def _was_a_card(self, track: Track) -> bool:
        """Whether a candidate lay there long enough that it must not vanish unmentioned."""
        return (
            track.state == "candidate"
            and track.free_us >= self._set.mention_us
            and len(track.readings) >= 3
        )

    def _under_newer(self, track: Track) -> bool:
        return any(
            other.number > track.number
            and other.state != "back"
            and _overlap(other.box, track.box) > 0.3
            for other in self._tracks
        )

    def _is_part_of(self, detection: Detection, held: Sequence[Track]) -> bool:
        """A doubtful second piece of a card already read in this picture (its other index)."""
        return any(
            _overlap(track.box, detection.box) >= 0.6
            and (detection.kind == "unsure" or _apart(track, detection) < 0.3)
            and _area(detection.box) <= 1.2 * _area(track.box)
            for track in held
        )

    def _look_for_its_back(
        self, look: Look, image: Image, track: Track, detections: Sequence[Detection]
    ) -> None:
        """A back where a face lay: the card was turned down, or taken off a face-down card.

        The second shows exactly what lay there before; a card turned over never falls back
        so precisely into the same place.
        """
        backs = [
            detection
            for detection in detections
            if detection.kind == "back"
            and _apart(track, detection) < 0.8
            and _overlap(track.box, detection.box) > 0.3
        ]
        if not backs or self._kept(look, track) >= 0.6:
            return
        track.read_us = look.at_us
        below = [
            other
            for other in self._tracks
            if other.state == "back"
            and other.number < track.number
            and other.picture is not None
            and _overlap(track.box, other.box) > 0.3
        ]
        known = [(other.picture_box, other.picture) for other in below]
        if any(
            box is not None and _same_picture(_crop(image, box), then)
            for box, then in (*known, (track.before_box, track.before))
        ):
            track.bared += 1
            return
        if track.backs == 0:
            track.back_since_us = look.at_us
        track.backs += 1

    # --- conclusions --------------------------------------------------------------------------

    def conclude(self, look: Look, keep: KeepPicture) -> list[Sighting]:
        """What is certain by now. To be asked after every look, read or not."""
        if self._began_us is None:
            self._began_us = look.at_us
        found: list[Sighting] = []
        if look.covered != self._covered:
            self._covered = look.covered
            word = TableCovered if look.covered else TableUncovered
            found.append(word(at_us=look.at_us))
        if look.covered:
            for track in self._tracks:
                track.free_since_us = None
            return found
        if (look.hand & ~look.hand_idle).any():
            self._hand_us = look.at_us
        for track in list(self._tracks):
            if track.state == "rested":
                found += self._still_there(look, track)
        for track in self._lost:
            found += self._report(
                look, track, tally_of(track.readings, self._set), keep, sure=False
            )
            found.append(CardLeft(at_us=self._moved_us(look, track.box), track=track.number))
        self._lost.clear()
        found += self._cleared(look)
        for track in list(self._tracks):
            if self._busy(look, track.box):
                track.free_since_us = None
            elif track.free_since_us is None:
                track.free_since_us = self._moved_us(look, track.box)
            if track.free_since_us is not None:
                track.free_us = max(track.free_us, look.at_us - track.free_since_us)
            match track.state:
                case "candidate":
                    found += self._settle(look, track, keep)
                case "rested":
                    found += self._reread(look, track, keep)
                case _:
                    pass
        return found

    def finish(self, look: Look, keep: KeepPicture) -> list[Sighting]:
        """The source has ended: conclude what the evidence allows, ask about the rest."""
        found: list[Sighting] = []
        for track in list(self._tracks):
            if track.state != "rested" or track.missed_since_us is None:
                continue
            if self._fate(look, track) == "gone":
                found += self._leave(look, track)
        found += self._cleared(look, ended=True)
        for track in list(self._tracks):
            if track.state != "candidate" or self._busy(look, track.box):
                continue
            tally = tally_of(track.readings, self._set)
            if self._is_sure(tally) and tally.lead >= 2:
                found += self._report(look, track, tally, keep, sure=True)
            elif 2 * len(track.readings) >= track.looks:
                found += self._report(look, track, tally, keep, sure=False)
        return found

    def _still_there(self, look: Look, track: Track) -> list[Sighting]:
        if self._busy(look, track.box):
            return []
        if track.backs >= 2 and look.at_us - track.back_since_us >= self._set.gone_hold_us:
            track.state = "down"
            track.missed_since_us = None
            self._left_us = max(self._left_us, self._moved_us(look, track.box))
            return [CardTurnedDown(at_us=self._moved_us(look, track.box), track=track.number)]
        if track.missed_since_us is None:
            return []
        missed_us = look.at_us - track.missed_since_us
        match self._fate(look, track):
            case "here":
                track.missed_since_us = None
            case _ if track.bared >= 2 and missed_us >= self._set.gone_hold_us:
                return self._leave(look, track)
            case "gone" if missed_us >= self._set.gone_hold_us and track.misses >= 2:
                if not self._slid(track):
                    return self._leave(look, track)
            case "unknown" if missed_us >= self._set.gone_patience_us and track.misses >= 4:
                if not self._slid(track):
                    return self._leave(look, track)
            case "hidden" if self._swept_under(track):
                return self._leave(look, track)
            case _:
                pass
        return []

    def _fate(self, look: Look, track: Track) -> Literal["here", "gone", "hidden", "unknown"]:
        """What the pixels of a card's place say, leaving out newer cards lying over it."""
        rows, columns = small_slices(look, track.box)
        now = look.small[rows, columns]
        if now.shape != track.patch.shape:
            return "unknown"
        visible: Mask = np.ones(now.shape[:2], np.bool_)
        for other in self._tracks:
            if other.number > track.number and other.state != "back":
                visible[_part(_grown(other.box, 0.05), look, rows, columns)] = False
        if float(visible.mean()) < 0.2:
            return "hidden"
        same = ~differing(now, track.patch, look.change_levels)
        bare = ~differing(now, track.under, look.change_levels)
        # Where the patch and the ground look alike, a pixel says nothing.
        telling = visible & differing(track.patch, track.under, look.change_levels)
        if int(telling.sum()) < 6:
            return "unknown"
        if float(same[telling].mean()) >= 0.75:
            return "here"
        return "gone" if float(bare[telling].mean()) >= 0.75 else "unknown"

    def _slid(self, track: Track) -> bool:
        """Whether a candidate elsewhere may be this very card, pushed along."""
        return any(
            other.state == "candidate"
            and any(reading.named == track.name for reading in other.readings)
            for other in self._tracks
            if track.name is not None
        )

    def _swept_under(self, track: Track) -> bool:
        """Whether the rest of its trick was swept before the card that hides it came.

        The next lead often lies exactly where a card of the last trick lay.
        """
        covering = min(
            (
                other.number
                for other in self._tracks
                if other.number > track.number and _overlap(other.box, track.box) > 0.5
            ),
            default=0,
        )
        earlier = [
            other
            for other in self._tracks
            if other.state == "rested" and other is not track and other.number < covering
        ]
        return track.reported_us <= self._left_us and not earlier

    def _leave(self, look: Look, track: Track) -> list[Sighting]:
        self._tracks.remove(track)
        gone_us = min(self._moved_us(look, track.box), look.at_us)
        self._left_us = max(self._left_us, gone_us)
        return [CardLeft(at_us=gone_us, track=track.number)]

    def _cleared(self, look: Look, *, ended: bool = False) -> list[Sighting]:
        """The table is clear once the last card has left and the hand that took it is gone.

        Cards that stand apart (score markers) lie on, unless nothing else was ever shown.

        Another hand may be over the table by then, so it is waited for a while only; and a
        card that now counts is never kept waiting for it.
        """
        waiting = any(
            self._was_a_card(track) and track.rested_us < self._left_us for track in self._tracks
        )
        lying = [track for track in self._tracks if track.state == "rested"]
        if self._trick_shown:
            lying = [track for track in lying if not self._stands_apart(look, track)]
        if not self._shown_since_clear or lying or waiting:
            self._clear_us = NEVER_US
            return []
        if self._clear_us == NEVER_US:
            self._clear_us = max(self._left_us, self._hand_us)
        sweeping = bool((look.hand & ~look.hand_idle).any())
        waited_us = look.at_us - self._left_us
        if sweeping and waited_us < self._set.sweep_us:
            self._clear_us = look.at_us
        if sweeping and waited_us < self._set.sweep_us and not ended:
            return []
        self._shown_since_clear = self._trick_shown = False
        self._cleared_us = min(self._clear_us, self._left_us + self._set.sweep_us)
        return [TableCleared(at_us=self._cleared_us)]

    def _stands_apart(self, look: Look, track: Track) -> bool:
        """Whether it lay there from the first frame, or far from the middle: no trick's card."""
        if self._began_us is not None and track.rested_us <= self._began_us:
            return True
        away = lengths_from_middle(
            self._layout,
            track.centre,
            length_px=track.length_px,
            width_px=look.width_px,
            height_px=look.height_px,
        )
        return away > self._set.apart_lengths

    def _settle(self, look: Look, track: Track, keep: KeepPicture) -> list[Sighting]:
        if track.free_since_us is None or not track.readings:
            return []
        held_us = look.at_us - track.free_since_us
        tally = tally_of(track.readings, self._set)
        if self._is_sure(tally) and self._has_settled(tally, held_us):
            older = self._same_card(look, track, tally)
            if older is not None:
                self._move_to(older, track)
                return []
            return self._report(look, track, tally, keep, sure=True)
        if held_us >= self._set.patience_us and track.looks >= 3:
            if len(track.readings) < track.looks * (0.2 if self._is_thing(look, track) else 0.4):
                # Seen in few of the pictures: a flicker of the reader, no card.
                self._tracks.remove(track)
                return []
            if tally.lead < 1 and self._cleared_us - 1_500_000 <= track.rested_us <= (
                self._cleared_us + 150_000
            ):
                # Laid down by the hand that swept: the gathered trick, a back badly read.
                track.state = "back"
                return []
            return self._report(look, track, tally, keep, sure=False)
        return []

    def _has_settled(self, tally: Tally, held_us: int) -> bool:
        """Whether enough readings agree for long enough; readings near the limit need more."""
        if tally.typical < self._set.sure:
            return tally.lead >= 5 and held_us >= self._set.weak_hold_us
        return (tally.lead >= 3 and held_us >= self._set.hold_us) or (
            tally.lead >= 2 and held_us >= self._set.slow_hold_us
        )

    def _is_sure(self, tally: Tally) -> bool:
        return tally.probability >= self._set.sure and tally.share >= self._set.agreeing_share

    def _same_card(self, look: Look, track: Track, tally: Tally) -> Track | None:
        """The reported card of that name that has gone from its place: it was slid here."""
        for other in self._tracks:
            named_so = other.state == "rested" and other.name == tally.leader
            missed = other.missed_since_us is not None and self._fate(look, other) != "here"
            if named_so and missed:
                return other
        return None

    def _move_to(self, track: Track, here: Track) -> None:
        self._tracks.remove(here)
        track.box, track.centre, track.length_px = here.box, here.centre, here.length_px
        track.patch, track.under = here.patch, here.under
        track.readings = [*track.readings, *here.readings][-self._set.memory :]
        track.spell = max(track.spell, here.spell) + 1
        track.read_us = here.read_us
        track.misses, track.missed_since_us = 0, None

    def _report(
        self, look: Look, track: Track, tally: Tally, keep: KeepPicture, *, sure: bool
    ) -> list[Sighting]:
        before = track.rested_us < self._left_us
        cleared = [] if before else self._cleared(look, ended=True)
        track.state = "rested"
        track.name = tally.leader if sure else None
        track.reported_us = look.at_us
        if sure:
            self._lengths_px.append(track.length_px)
        if track.laid_from is None:
            track.laid_from = self._came_from(look, track)
        self._shown_since_clear = True
        self._trick_shown = self._trick_shown or not self._stands_apart(look, track)
        place = place_of(
            self._layout,
            track.centre,
            length_px=track.length_px,
            width_px=look.width_px,
            height_px=look.height_px,
        )
        whys = [reading.why for reading in track.readings if reading.why]
        why = None if sure else (max(set(whys), key=whys.count) if whys else "low")
        return [
            *cleared,
            CardRested(
                at_us=track.rested_us,
                track=track.number,
                card=track.name,
                confidence=min(0.9999, round(tally.probability, 4)),
                votes=tally.votes,
                place=place,
                box=track.box,
                laid_from=track.laid_from,
                why=why,
                evidence=keep(track.box),
            ),
        ]

    def _reread(self, look: Look, track: Track, keep: KeepPicture) -> list[Sighting]:
        if track.free_since_us is None or track.missed_since_us is not None:
            return []
        tally = tally_of(track.readings, self._set)
        if tally.leader is None or tally.leader == track.name or not self._is_sure(tally):
            return []
        recent = [reading.named for reading in track.readings[-5:]]
        if tally.lead < 3 or recent.count(tally.leader) < 4:
            return []
        track.name = tally.leader
        return [
            CardReread(
                at_us=look.at_us,
                track=track.number,
                card=tally.leader,
                confidence=min(0.9999, round(tally.probability, 4)),
                votes=tally.votes,
                evidence=keep(track.box),
            )
        ]

    # --- what a place looks like --------------------------------------------------------------

    def _moved_us(self, look: Look, box: Box) -> int:
        """When something last moved within the box, leaving out its rim and stray pixels."""
        rows, columns = small_slices(look, box, grow=-0.1)
        stamps = np.sort(look.moved_at[rows, columns], axis=None)
        return int(stamps[int(0.95 * (stamps.size - 1))])

    def _moving(self, look: Look, box: Box) -> bool:
        return self._moved_us(look, box) >= look.at_us

    def _hand_over(self, look: Look, box: Box) -> bool:
        rows, columns = small_slices(look, box)
        return float(look.hand[rows, columns].mean()) > 0.04

    def _busy(self, look: Look, box: Box) -> bool:
        """Moving, or a hand is over it that has not lain idle there for long."""
        moved_us = self._moved_us(look, box)
        if moved_us >= look.at_us:
            return True
        return self._hand_over(look, box) and look.at_us - moved_us < self._set.idle_hand_us

    def _kept(self, look: Look, track: Track) -> float:
        """The share of the card's pixels that look as they did."""
        rows, columns = small_slices(look, track.box)
        now = look.small[rows, columns]
        if now.shape != track.patch.shape:
            return 0.0
        return 1.0 - float(differing(now, track.patch, look.change_levels).mean())

    def _is_thing(self, look: Look, track: Track) -> bool:
        """Whether something lies there that is not the bare table, whatever the reader says."""
        if track.patch.shape != track.under.shape:
            return False
        return float(differing(track.patch, track.under, look.change_levels).mean()) >= 0.3

    def _came_from(self, look: Look, track: Track) -> Seat | None:
        """The side the arm came from that was over the card about when it came to rest."""
        rows, columns = small_slices(look, track.box, grow=0.1)
        best: tuple[float, int, int] | None = None
        for side, stamps in enumerate(look.hand_from):
            part = stamps[rows, columns]
            recent = part >= track.rested_us - 700_000
            share = float(recent.mean())
            if share >= 0.15:
                rank = (round(share, 1), int(part.max()), side)
                best = rank if best is None or rank > best else best
        if best is None:
            return None
        width, height = look.width_px, look.height_px
        edge = ((width / 2, 0.0), (width, height / 2), (width / 2, height), (0.0, height / 2))
        return side_nearest(self._layout, edge[best[2]], width_px=width, height_px=height)


def tally_of(readings: Sequence[Reading], settling: Settling) -> Tally:
    """Weigh a card's readings together.

    Pictures of a card that has not moved share their mistakes, so all readings of one quiet
    spell together weigh no more than two independent ones; a spell after a motion is new
    evidence, and the newest spell, once it has four readings, weighs double.
    """
    if not readings:
        return Tally(
            votes=(), leader=None, probability=0.0, typical=0.0, lead=0, share=0.0, count=0
        )
    names = sorted({name for reading in readings for name, _ in reading.votes})
    spells = sorted({reading.spell for reading in readings})
    sums = dict.fromkeys(names, 0.0)
    other_sum = 0.0
    for spell in spells:
        of_spell = [reading for reading in readings if reading.spell == spell]
        weight = min(2.0, float(len(of_spell)))
        if len(spells) > 1 and spell == spells[-1] and len(of_spell) >= 4:
            weight *= 2.0
        for reading in of_spell:
            given = dict(reading.votes)
            left = max(0.0, 1.0 - sum(given.values()))
            rest = left / (len(ALL_CARDS) - len(given))
            share = weight / len(of_spell)
            for name in names:
                sums[name] += share * math.log(max(settling.floor, given.get(name, rest)))
            # What is left may all belong to one other name.
            other_sum += share * math.log(max(settling.floor, left))
    top = max([*sums.values(), other_sum])
    masses = {name: math.exp(value - top) for name, value in sums.items()}
    total = sum(masses.values()) + math.exp(other_sum - top)
    ranked = sorted(masses.items(), key=lambda item: (-item[1], item[0]))
    votes = tuple((name, round(mass / total, 4)) for name, mass in ranked[:4])
    counts = {name: sum(1 for r in readings if r.named == name) for name in names}
    leader = ranked[0][0] if ranked else None
    named = counts.get(leader, 0) if leader is not None else 0
    sure = [math.log(dict(r.votes)[leader]) for r in readings if leader and r.named == leader]
    newest = [reading for reading in readings if reading.spell == spells[-1]]
    judged = newest if len(newest) >= 4 else readings
    agreeing = sum(1 for reading in judged if reading.named == leader)
    rival = max((count for name, count in counts.items() if name != leader), default=0)
    return Tally(
        votes=votes,
        leader=leader,
        probability=ranked[0][1] / total if ranked else 0.0,
        typical=math.exp(sum(sure) / len(sure)) if sure else 0.0,
        lead=named - rival,
        share=agreeing / len(judged),
        count=len(readings),
    )


def pose_of(detection: Detection) -> tuple[Point, float]:
    """Centre and long side of a card in pixels, from its outline or else its box."""
    if detection.quad is not None:
        corners = np.array(detection.quad, np.float64)
        sides = np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1)
        centre = corners.mean(axis=0)
        return (float(centre[0]), float(centre[1])), float(max(sides))
    x0, y0, x1, y1 = detection.box
    return ((x0 + x1) / 2, (y0 + y1) / 2), float(max(x1 - x0, y1 - y0))


def _votes_of(detection: Detection) -> Votes:
    """A detection's names as one distribution.

    A named card has its confidence, whatever else its two indices were taken for; the names
    of a doubtful one are shared out when they add up to more than one.
    """
    votes = dict(detection.votes)
    if detection.card is not None:
        votes.setdefault(detection.card, detection.confidence)
    if detection.kind == "card" and detection.card is not None:
        sure = min(0.999, max(0.02, detection.confidence))
        others = sum(p for name, p in votes.items() if name != detection.card)
        scale = min(1.0, (1.0 - sure) / others) if others > 0 else 0.0
        votes = {name: p * scale for name, p in votes.items()}
        votes[detection.card] = sure
    else:
        scale = 1.0 / max(1.0, sum(votes.values()))
        votes = {name: p * scale for name, p in votes.items()}
    return tuple(sorted(votes.items(), key=lambda vote: (-vote[1], vote[0])))


def _apart(track: Track, detection: Detection) -> float:
    """Distance of the centres in card lengths."""
    centre, length = pose_of(detection)
    return math.dist(track.centre, centre) / max(1.0, track.length_px, length)


def _area(box: Box) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def _overlap(a: Box, b: Box) -> float:
    """The shared area as a share of the smaller box."""
    shared = _area((max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])))
    if a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]:
        return 0.0
    return shared / max(1e-9, min(_area(a), _area(b)))


def _grown(box: Box, share: float) -> Box:
    dx, dy = (box[2] - box[0]) * share, (box[3] - box[1]) * share
    return (box[0] - dx, box[1] - dy, box[2] + dx, box[3] + dy)


def _crop(image: Image, box: Box) -> Image:
    height, width = image.shape[:2]
    x0, y0 = max(0, int(box[0])), max(0, int(box[1]))
    x1, y1 = min(width, math.ceil(box[2])), min(height, math.ceil(box[3]))
    return image[y0 : max(y0 + 1, y1), x0 : max(x0 + 1, x1)].copy()


def _portray(image: Image, track: Track) -> None:
    """Remember how a face-down card and its rim look in the frame."""
    track.picture_box = _grown(track.box, 0.15)
    track.picture = _crop(image, track.picture_box)


def _remember_before(then: Image, now: Image, track: Track) -> None:
    """Remember what lay in a card's place before it, from a picture of that time.

    Not where it looks like the card itself: in the dark everything looks the same.
    """
    box = _grown(track.box, 0.15)
    before = _crop(then, box)
    if not _same_picture(_crop(now, box), before):
        track.before_box, track.before = box, before


def _same_picture(now: Image, then: Image | None) -> bool:
    """Whether two crops of one place show the same thing in the same pose, to a pixel or so."""
    if then is None or now.shape != then.shape:
        return False
    a, b = (cv2.blur(picture, (5, 5)).astype(np.float32) + 4.0 for picture in (now, then))
    a *= np.median(b / a)
    return float((np.abs(a - b).max(axis=2) > 30.0).mean()) < 0.012


def _part(box: Box, look: Look, rows: slice, columns: slice) -> tuple[slice, slice]:
    """The part of a small-picture crop (these rows and columns of it) that ``box`` covers."""
    over_rows, over_columns = small_slices(look, box)
    return (
        slice(max(0, over_rows.start - rows.start), max(0, over_rows.stop - rows.start)),
        slice(
            max(0, over_columns.start - columns.start), max(0, over_columns.stop - columns.start)
        ),
    )


def _within(box: Box, regions: Sequence[Box] | None) -> bool:
    """Whether a reading of these regions saw the whole box (None: the whole frame)."""
    if regions is None:
        return True
    inner = _grown(box, -0.05)
    return any(
        r[0] <= inner[0] and r[1] <= inner[1] and r[2] >= inner[2] and r[3] >= inner[3]
        for r in regions
    )
