"""The still-picture reader: finder, classifier and pairing behind ``CardReader``."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2

import models
from engine.cards import Card, card_name
from vision.body import BodySettings, against, backing, votes_of
from vision.classify import IndexReading, InLots, read_spots
from vision.errors import VisionError
from vision.find import (
    BackSpot,
    IndexSpot,
    Look,
    full_looks,
    look_at,
    merge_backs,
    merge_indices,
    region_looks,
    spots_of,
)
from vision.frame import Image
from vision.opinion import Bar, Opinion, QuickFirst, TwoClassifiers
from vision.pair import JOKERS, Rules, Statement, Witness, detections_of, holds, settled_bodies
from vision.picture import as_frame_image, load_picture
from vision.ports import Box, Detection, Quad
from vision.scout import ScoutSettings, finer_look, glance, windows

#: Long sides the whole picture is looked at: one for cards across a table, one for close-ups.
VIDEO_SIDES_PX = (960, 400)
#: For still pictures one more, for small cards in large photographs.
STILL_SIDES_PX = (960, 400, 1760)
#: A region is looked at as finely as this many pixels allow (what 960 x 540 costs) ...
REGION_PIXELS = 520_000
#: ... and once as in a whole frame with this long side.
REGION_COARSE_SIDE_PX = 480


#: More index spots than this are left unread, the least likely first: a bound on time.
MOST_SPOTS = 64
#: Spots that the finder gives less are read last, and only where no card is settled.
WEAK_SCORE = 0.4


class BadMachineCard(VisionError, ValueError):
    """The machine card lacks a value the reader needs, or the model refuses to load."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the machine card says, checked."""

    multiple_px: int
    cell_px: int
    index_px: tuple[float, float]
    crop_px: tuple[int, int]
    crop_index_px: float
    ranks: tuple[str, ...]
    suits: tuple[str, ...]
    temperature_rank: float
    temperature_suit: float
    least_index: float
    least_back: float
    rules: Rules
    scout: ScoutSettings | None = None
    body: BodySettings | None = None
    #: From which probability the quick net's word stands without the classifier's (where two crops
    #: say the same, and of one alone), and the classifier's without the second one's.
    quick_sure: tuple[float, float] | None = None
    sure: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reader:
    """Reads every card in one picture; holds no memory of earlier ones. Thread-safe.

    ``sides_px``: the long sides a whole picture is looked at (``VIDEO_SIDES_PX``,
    ``STILL_SIDES_PX``).
    """

    finder: Any
    classifier: Any
    settings: Settings
    sides_px: tuple[int, ...] = VIDEO_SIDES_PX
    #: Without one the finder looks at everything: slower, and nothing can be passed over.
    scout: Any = None
    #: Without one nothing but the corners is asked.
    body: Any = None

    def read(self, image: Image, regions: Sequence[Box] | None = None) -> tuple[Detection, ...]:
        """Every card in ``image`` (H x W x 3, BGR, 8 bits), or only what lies in ``regions``.

        Boxes are in pixels of the whole ``image``. Raises ``NotAPicture`` for an array of
        another kind.
        """
        image = as_frame_image(image)
        return self.gathered(image, *self.readings(image, regions))

    def gathered(
        self, image: Image, readings: Sequence[IndexReading], backs: Sequence[BackSpot]
    ) -> tuple[Detection, ...]:
        """The cards that the indices and backs of ``image`` belong to."""
        height, width = image.shape[:2]
        return detections_of(
            readings,
            backs,
            rules=self.settings.rules,
            width_px=width,
            height_px=height,
            witness=self.witness_of(image),
            still=self.still,
        )

    @property
    def still(self) -> bool:
        """Whether it reads single pictures, not one after the other of a table."""
        return self.sides_px == STILL_SIDES_PX

    def witness_of(self, image: Image) -> Witness | None:
        """The witness of this picture's bodies; None where the models hold none."""
        if self.body is None or self.settings.body is None:
            return None
        session, settings = self.body, self.settings.body

        def heard(claims: Sequence[tuple[Quad, Card]]) -> list[Statement]:
            votes = votes_of(session, image, [quad for quad, _ in claims], settings)
            return [
                Statement()
                if vote is None
                else Statement(
                    against=against(card, vote, settings), backing=backing(card, vote, settings)
                )
                for vote, (_, card) in zip(votes, claims, strict=True)
            ]

        return heard

    def readings(
        self, image: Image, regions: Sequence[Box] | None = None
    ) -> tuple[list[IndexReading], list[BackSpot]]:
        """The indices and backs themselves, before they are gathered to cards."""
        s = self.settings
        height, width = image.shape[:2]
        if regions is None:
            looks: tuple[Look, ...] = full_looks(width, height, self.sides_px)
        else:
            # a small part can be looked at finer than the whole at the same cost
            looks = region_looks(
                width,
                height,
                regions,
                pixels=REGION_PIXELS,
                coarse_side_px=REGION_COARSE_SIDE_PX,
            )
        indices: list[IndexSpot] = []
        backs: list[BackSpot] = []
        for look, within in self.worth_a_look(image, looks):
            maps, scale_x, scale_y = look_at(
                self.finder, image, look, multiple_px=s.multiple_px, cell_px=s.cell_px
            )
            some, more = spots_of(
                maps,
                look,
                scale_x,
                scale_y,
                cell_px=s.cell_px,
                least_index=s.least_index,
                least_back=s.least_back,
                within=within,
            )
            indices += some
            backs += more
        merged = merge_indices(indices, index_px=s.index_px)[:MOST_SPOTS]
        strong = [spot for spot in merged if spot.score >= WEAK_SCORE]
        readings = self._read_spots(image, strong)
        # pips and pictures look a little like indices: inside a card whose corners agree they
        # need not be read
        weak = [spot for spot in merged if spot.score < WEAK_SCORE]
        if weak:
            settled = settled_bodies(readings, s.rules)
            unsettled = [
                spot for spot in weak if not any(holds(body, spot.x, spot.y) for body in settled)
            ]
            readings += self._read_spots(image, unsettled)
        return readings, merge_backs(backs)

    def _read_spots(self, image: Image, spots: Sequence[IndexSpot]) -> list[IndexReading]:
        s = self.settings
        return read_spots(
            self.classifier,
            image,
            spots,
            crop_px=s.crop_px,
            index_px=s.crop_index_px,
            ranks=s.ranks,
            suits=s.suits,
            temperature_rank=s.temperature_rank,
            temperature_suit=s.temperature_suit,
        )

    def worth_a_look(self, image: Image, looks: Sequence[Look]) -> list[tuple[Look, Look]]:
        """What the finder is run on, and what each was cut out of: all, or what the scout marks."""
        settings = self.settings.scout
        if self.scout is None or settings is None:
            return [(look, look) for look in looks]
        chosen: list[tuple[Look, Look]] = []
        by_place: dict[tuple[int, int, int, int], list[Look]] = {}
        for look in looks:
            by_place.setdefault((look.x0, look.y0, look.x1, look.y1), []).append(look)
        for mine in by_place.values():
            marks = glance(self.scout, image, mine[0], settings)
            finer = finer_look(mine[0], image.shape[1], image.shape[0])
            offered = [*mine, finer] if finer is not None else mine
            cut = windows(marks, offered, multiple_px=self.settings.multiple_px)
            chosen += [(window, mine[0]) for window in cut]
        return chosen


def _scout_settings(scout: dict[str, Any]) -> ScoutSettings:
    return ScoutSettings(
        cell_px=int(scout["cell_px"]),
        multiple_px=int(scout["multiple_px"]),
        look_share=float(scout["look_share"]),
        least_index=float(scout["least_index"]),
        least_back=float(scout["least_back"]),
    )


def _body_settings(body: dict[str, Any]) -> BodySettings:
    return BodySettings(
        classes=tuple(body["classes"]),
        suits=tuple(body["suits"]),
        temperature=float(body["temperature"]),
        sure=float(body["sure"]),
        least_card_px=float(body["least_card_px"]),
    )


def _settings(card: dict[str, Any]) -> Settings:
    try:
        finder, classifier, tuned = card["finder"], card["classifier"], card["calibration"]
        scout, body = card.get("scout"), card.get("body")
        quick, second = card.get("quick"), card.get("second")
        rules = Rules(
            alone=float(tuned["alone"]),
            alone_small=float(tuned["alone_small"]),
            alone_joker=float(tuned["alone_joker"]),
            small_px=float(tuned["small_px"]),
            lone_score=float(tuned["lone_score"]),
            agreeing=float(tuned["agreeing"]),
            rival=float(tuned["rival"]),
            worth_asking=float(tuned["worth_asking"]),
            foreign=float(tuned["foreign"]),
        )
        low, high = finder["index_px"]
        crop_h, crop_w = classifier["crop_px"]
        return Settings(
            multiple_px=int(finder["multiple_px"]),
            cell_px=int(finder["cell_px"]),
            index_px=(float(low), float(high)),
            crop_px=(int(crop_h), int(crop_w)),
            crop_index_px=float(classifier["index_px"]),
            ranks=tuple(classifier["ranks"]),
            suits=tuple(classifier["suits"]),
            temperature_rank=float(tuned["temperature_rank"]),
            temperature_suit=float(tuned["temperature_suit"]),
            least_index=float(tuned["least_index"]),
            least_back=float(tuned["least_back"]),
            rules=rules,
            scout=None if scout is None else _scout_settings(scout),
            body=None if body is None else _body_settings(body),
            quick_sure=None if quick is None else (float(quick["sure"]), float(quick["alone"])),
            sure=None if second is None else float(second["sure"]),
        )
    except (KeyError, TypeError, ValueError) as fault:
        raise BadMachineCard(
            f"{models.MACHINE_CARD} lacks or misstates {fault}: install Upcard again"
        ) from fault


def load_reader(
    *,
    threads: int = 2,
    models_dir: Path | None = None,
    sides_px: tuple[int, ...] = VIDEO_SIDES_PX,
) -> Reader:
    """Load the models, their hashes checked.

    The scout is for live frames: a reader with other ``sides_px`` than ``VIDEO_SIDES_PX`` looks at
    all of a picture.

    Raises ``models.ModelMissing``, ``models.ModelDamaged`` or :class:`BadMachineCard`.
    """
    import onnxruntime  # half a second: not at import

    settings = _settings(models.machine_card(models_dir))
    scouted = settings.scout is not None and sides_px == VIDEO_SIDES_PX
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # a spinning pool would take the cores from the camera and the page
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    sessions: dict[str, Any] = {}
    wanted = [
        "finder",
        "classifier",
        *["quick"] * (settings.quick_sure is not None),
        *["second"] * (settings.sure is not None),
        *["scout"] * scouted,
        *["body"] * bool(settings.body),
    ]
    for name in wanted:
        path = models.locate(name, models_dir=models_dir)
        try:
            sessions[name] = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except Exception as fault:
            raise BadMachineCard(f"{path} does not load ({fault}): install Upcard again") from fault
    suitless = tuple(k for k, rank in enumerate(settings.ranks) if rank in (*JOKERS, "-"))
    classifier: Any = InLots(sessions["classifier"])
    if settings.sure is not None:
        bar = Bar(sure=settings.sure, suitless=suitless)
        opinion = Opinion(session=InLots(sessions["second"]), bar=bar)
        classifier = TwoClassifiers(session=classifier, opinion=opinion)
    if settings.quick_sure is not None:
        seconded, alone = settings.quick_sure
        classifier = QuickFirst(
            session=InLots(sessions["quick"]),
            bar=Bar(sure=seconded, suitless=suitless),
            alone=Bar(sure=alone, suitless=suitless),
            then=classifier,
        )
    return Reader(
        finder=sessions["finder"],
        classifier=classifier,
        scout=sessions.get("scout"),
        body=sessions.get("body"),
        settings=settings,
        sides_px=sides_px,
    )


def _rounded(box: Box) -> list[int]:
    x0, y0, x1, y1 = box
    return [math.floor(x0), math.floor(y0), math.ceil(x1), math.ceil(y1)]


def report(
    image: Image, detections: Sequence[Detection], *, name: str, elapsed_s: float
) -> dict[str, Any]:
    """The JSON object that ``upcard read`` prints for one picture (keys of the design)."""
    height, width = image.shape[:2]
    cards, unsure, backs = [], [], []
    for d in detections:
        match d.kind:
            case "card":
                cards.append(
                    {
                        "card": d.card,
                        "confidence": round(d.confidence, 3),
                        "box": _rounded(d.box),
                    }
                )
            case "unsure":
                unsure.append(
                    {
                        "box": _rounded(d.box),
                        "best": d.card,
                        "confidence": round(d.confidence, 3),
                        "why": d.why,
                    }
                )
            case "back":
                backs.append({"box": _rounded(d.box), "confidence": round(d.confidence, 3)})
    return {
        "image": name,
        "width": width,
        "height": height,
        "ms": round(elapsed_s * 1000, 1),
        "cards": cards,
        "unsure": unsure,
        "backs": backs,
    }


def read_file(path: str | Path, reader: Reader, *, explain: Path | None = None) -> dict[str, Any]:
    """Read one picture file as a still and return its report; ``image`` is the path as given.

    ``explain``: a folder that receives the picture with what was seen drawn on it
    (:mod:`vision.explain`).
    Raises ``PictureMissing`` or ``NotAPicture``.
    """
    image = load_picture(path)
    # there is time: nothing is passed over
    careful = replace(reader, sides_px=STILL_SIDES_PX, scout=None)
    began = time.monotonic()
    detections = careful.read(image)
    elapsed_s = time.monotonic() - began
    if explain is not None:
        from vision.explain import explained  # it draws what this module reads

        explain.mkdir(parents=True, exist_ok=True)
        drawn = explained(image, reader, detections)
        # Not imwrite: a folder or disk that takes nothing is no error to it.
        _, encoded = cv2.imencode(".png", drawn)
        (explain / f"{Path(path).stem}.png").write_bytes(encoded.tobytes())
    return report(image, detections, name=str(path), elapsed_s=elapsed_s)


def said(report_: dict[str, Any]) -> str:
    """One picture's report in words, for a person at a terminal."""
    names = ", ".join(f"{card_name(c['card'])} ({c['confidence']:.2f})" for c in report_["cards"])
    doubts = len(report_["unsure"])
    tail = f"; {doubts} unsure" if doubts else ""
    backs = f"; {len(report_['backs'])} face down" if report_["backs"] else ""
    return f"{report_['image']}: {names or 'no card named'}{tail}{backs}"


def as_line(report_: dict[str, Any]) -> str:
    """The report as one line of JSON."""
    return json.dumps(report_, ensure_ascii=False)
