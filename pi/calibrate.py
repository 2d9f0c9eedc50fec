"""``upcard calibrate``: where the table is, whether it can be read, and the file that keeps it.

The camera looks at the printed sheet (or at four cards); what it finds is checked, drawn and
kept beside the games' log. The kit then knows each seat's zone however the camera hangs, holds
focus and exposure still, and notices when the camera is moved.
"""

from __future__ import annotations

import argparse
import binascii
import json
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from engine.wording import Arg, Sentence, english, say_json, worded
from pi.camera import CameraLock, PiCamera
from pi.doctor import on_a_pi
from pi.errors import BadCalibration, BadSettings
from pi.fitting import open_camera
from pi.settings import KitSettings, kit_settings
from vision.calibration import (
    CARD_MM,
    Check,
    NoTableFound,
    Placed,
    Saying,
    checks,
    drawn,
    layout_of,
    place_table,
    saying,
)
from vision.frame import Frame, Image
from vision.landmarks import Landmarks, from_plain, landmarks_in, to_plain
from vision.layout import Layout
from vision.picture import load_picture
from vision.ports import CardReader, FrameSource
from vision.sheet import sheet_pdf

SCHEMA: Final = 1
FILE_NAME: Final = "calibration.json"
#: Looks that must agree before the table counts as found, and how many are taken at most.
_AGREEING: Final = 3
_MOST_LOOKS: Final = 40
#: Two looks agree when no seat's zone lies further apart than this share of the width.
_APART: Final = 0.004
_PICTURES: Final = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})

Line = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Calibration:
    """What is kept. ``made_at_us``: microseconds since 1970; ``lock``: None but for the Pi's
    camera; ``landmarks``: how the picture is known again."""

    made_at_us: int
    placed: Placed
    landmarks: Landmarks
    lock: CameraLock | None = None

    def layout_for(self, *, width_px: int, height_px: int) -> Layout:
        """The tracker's layout for pictures of that size.

        Raises BadCalibration where their shape is another: the picture is then cut differently,
        and nothing lies where it lay.
        """
        was = self.placed.width_px / self.placed.height_px
        now = width_px / height_px
        if abs(was - now) > 0.01 * was:
            raise BadCalibration(
                f"the camera was calibrated with pictures of {self.placed.width_px} x "
                f"{self.placed.height_px}, and they are {width_px} x {height_px} now: "
                "run upcard calibrate again"
            )
        return layout_of(self.placed)


def keep(path: Path, made: Calibration) -> None:
    """Write the file in one step: after a power cut it is the old one or the new one."""
    body = {
        "schema": SCHEMA,
        "made_at_us": made.made_at_us,
        "width_px": made.placed.width_px,
        "height_px": made.placed.height_px,
        "found_by": made.placed.found_by,
        "error_px": made.placed.error_px,
        "to_picture": [float(v) for v in made.placed.to_picture.ravel()],
        "lock": None
        if made.lock is None
        else {
            "exposure_us": made.lock.exposure_us,
            "gain": made.lock.gain,
            "colour_gains": list(made.lock.colour_gains),
            "lens_dioptres": made.lock.lens_dioptres,
        },
        "landmarks": to_plain(made.landmarks),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(path.name + ".new")
    with fresh.open("w", encoding="utf-8") as out:
        json.dump(body, out)
        out.flush()
        os.fsync(out.fileno())
    fresh.replace(path)


def load(path: Path) -> Calibration:
    """The calibration of a file. Raises BadCalibration naming the file and what is wrong."""
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadCalibration(
            f"the calibration {path} cannot be read ({error.strerror}): run upcard calibrate"
        ) from error
    except ValueError as error:
        raise BadCalibration(f"the calibration {path} is no JSON: run upcard calibrate") from error
    try:
        if body["schema"] != SCHEMA:
            raise BadCalibration(
                f"the calibration {path} is of format {body['schema']!r}, and this version reads "
                f"{SCHEMA}: run upcard calibrate"
            )
        matrix = np.array(body["to_picture"], np.float64).reshape(3, 3)
        if not np.isfinite(matrix).all() or abs(np.linalg.det(matrix)) < 1e-12:
            raise ValueError("to_picture is no map of a table")
        lock = body["lock"]
        return Calibration(
            made_at_us=int(body["made_at_us"]),
            placed=Placed(
                to_picture=matrix,
                width_px=int(body["width_px"]),
                height_px=int(body["height_px"]),
                found_by="cards" if body["found_by"] == "cards" else "sheet",
                error_px=float(body["error_px"]),
            ),
            landmarks=from_plain(body["landmarks"]),
            lock=None
            if lock is None
            else CameraLock(
                exposure_us=int(lock["exposure_us"]),
                gain=float(lock["gain"]),
                colour_gains=(float(lock["colour_gains"][0]), float(lock["colour_gains"][1])),
                lens_dioptres=None
                if lock["lens_dioptres"] is None
                else float(lock["lens_dioptres"]),
            ),
        )
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, binascii.Error) as error:
        if isinstance(error, BadCalibration):
            raise
        raise BadCalibration(
            f"the calibration {path} is damaged ({error}): run upcard calibrate"
        ) from error


# --- looking -----------------------------------------------------------------------------------


def examine(image: Image, reader: CardReader | None) -> tuple[Placed, tuple[Check, ...]]:
    """The table in one picture and everything that was checked there; raises NoTableFound."""
    placed = place_table(image, reader)
    return placed, (*checks(image, placed), _landmark_check(landmarks_of(image, placed)))


def landmarks_of(image: Image, placed: Placed) -> Landmarks:
    """What stays when the sheet or the cards have gone."""
    return landmarks_in(image, without=placed.marks)


def _landmark_check(known: Landmarks) -> Check:
    count = len(known.points)
    if known.enough:
        text = saying("{count} landmarks to know the picture by", count=count)
        return Check(name="landmarks", verdict="pass", text=text)
    return Check(
        name="landmarks",
        verdict="warn",
        text=saying(
            "{count} landmarks to know the picture by: a moved camera will not be noticed",
            count=count,
        ),
        cure=saying(
            "lay something with a pattern where the picture's edge is, such as a newspaper's "
            "strip taped to the table"
        ),
    )


def settled(
    looks: Iterator[Image], reader: CardReader | None
) -> tuple[Image, Placed, tuple[Check, ...]]:
    """The table once three looks on end agree. Raises NoTableFound with the last look's reason."""
    reason: NoTableFound | None = None
    agreed: list[Placed] = []
    for image in islice(looks, _MOST_LOOKS):
        try:
            placed, found = examine(image, reader)
        except NoTableFound as error:
            reason, agreed = error, []
            continue
        if agreed and _apart(agreed[-1], placed) > _APART:
            agreed = []
        agreed.append(placed)
        if len(agreed) == _AGREEING:
            return image, placed, found
    if reason is None:
        reason = NoTableFound(
            saying("the table was found, but no three looks agreed: keep hands and sheet still")
        )
    raise reason


def _apart(a: Placed, b: Placed) -> float:
    """How far two looks lie apart at most, a card's length round the middle, by the width."""
    square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float64) * CARD_MM[1]
    there = [
        cv2.perspectiveTransform(square.reshape(-1, 1, 2), p.to_picture).reshape(-1, 2)
        for p in (a, b)
    ]
    return float(np.linalg.norm(there[0] - there[1], axis=1).max()) / a.width_px


# --- the command -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One calibration: ``source`` is pi, usb, sim, a picture or a clip; ``output`` the file to
    keep it in; ``picture`` where to draw what was found; ``force`` keeps it although a check
    failed. ``settings``: those the table plays with, since a picture of another size may show
    another part of the table."""

    source: str
    output: Path
    picture: Path | None = None
    force: bool = False
    seed: int = 1
    settings: KitSettings = field(default_factory=KitSettings)


def plan_for(given: argparse.Namespace, *, folder: Path) -> Plan:
    """The plan that the words of the command line make. Raises BadSettings."""
    settings = kit_settings(None)
    source = given.source
    if source is None:
        if not on_a_pi():
            raise BadSettings(
                "no source is named and this is no Pi: --from usb (a USB camera), a picture, a "
                "clip, or sim (the simulated table)"
            )
        source = "usb" if settings.table == "usb" else "pi"
    if source not in ("pi", "usb", "sim") and not Path(source).is_file():
        raise BadSettings(f"--from {source}: no such picture or clip, nor one of pi, usb, sim")
    if given.picture is not None and given.picture.suffix.lower() not in _PICTURES:
        # Before anybody lays the sheet out: OpenCV knows the kind by the ending.
        raise BadSettings(f"--picture {given.picture}: name it .jpg or .png")
    return Plan(
        source=source,
        output=given.output if given.output is not None else folder / FILE_NAME,
        picture=given.picture,
        force=given.force,
        seed=given.seed,
        settings=settings,
    )


def calibrate(
    plan: Plan,
    *,
    reader: CardReader,
    emit: Callable[[Line], None],
    complain: Callable[[str], None],
    clock_us: Callable[[], int] = lambda: time.time_ns() // 1000,
) -> int:
    """Look, check, draw and keep; return the exit code: 1 where a check failed.

    Lines for ``emit`` have a ``kind``: ``looking``, ``found``, ``check`` (verdict, text, cure)
    and, last, ``kept`` or ``not_kept``. Raises NoTableFound and the errors of the source.
    """
    emit({"kind": "looking", "source": plan.source})
    with ExitStack() as opened:
        source = opened.enter_context(closing(_open_source(plan, opened)))
        lock = source.settle() if isinstance(source, PiCamera) else None
        image, placed, found = settled((frame.image for frame in source.frames()), reader)
    emit(found_line(placed))
    for check in found:
        emit(check_line(check))
    if plan.picture is not None:
        _write_picture(plan.picture, drawn(image, placed))
    failed = [check for check in found if check.verdict == "fail"]
    if failed and not plan.force:
        names = ", ".join(check.name for check in failed)
        complain(f"not kept, since it would not read well ({names}): mend that, or add --force")
        emit({"kind": "not_kept", "failed": [check.name for check in failed]})
        return 1
    made = Calibration(
        made_at_us=clock_us(),
        placed=placed,
        landmarks=landmarks_of(image, placed),
        lock=lock,
    )
    keep(plan.output, made)
    emit({"kind": "kept", "path": str(plan.output), "found_by": placed.found_by})
    return 1 if failed else 0


def _open_source(plan: Plan, opened: ExitStack) -> FrameSource:
    match plan.source:
        case "pi" | "usb":
            return open_camera(plan.source, plan.settings, opened)
        case "sim":
            return SheetOnTable(seed=plan.seed)
        case path if Path(path).suffix.lower() in _PICTURES:
            return _Still(load_picture(Path(path)))
        case path:
            from vision.clips import ClipSource

            return ClipSource(Path(path))


class _Still:
    """One picture, as often as it is asked for: it agrees with itself."""

    def __init__(self, image: Image) -> None:
        self._image = image

    def frames(self) -> Iterator[Frame]:
        for number in range(_AGREEING):
            yield Frame(at_us=number * 100_000, image=self._image)

    def close(self) -> None:
        pass


class SheetOnTable:
    """The simulated table with the printed sheet on it, turned a little. A FrameSource."""

    def __init__(self, *, seed: int) -> None:
        self._seed = seed

    def frames(self) -> Iterator[Frame]:
        from pi.sim.dials import Dials
        from pi.sim.lens import homography
        from pi.sim.painter import Painter
        from pi.sim.stage import Episode
        from pi.sim.table import lens_for

        lens = lens_for(Dials(), self._seed)
        painter = Painter(lens=lens, dials=Dials(), seed=self._seed)
        bare = Episode(start_us=0, end_us=10_000_000, still=(), flights=())
        for number in range(_MOST_LOOKS):
            ground = painter.frame(bare, number * 100_000)
            yield Frame(
                at_us=number * 100_000,
                image=with_sheet(
                    ground, homography(lens), turn_deg=2.0, right_mm=6.0, down_mm=-4.0
                ),
            )

    def close(self) -> None:
        pass


def with_sheet(
    ground: Image,
    to_picture: Any,
    *,
    turn_deg: float = 0.0,
    right_mm: float = 0.0,
    down_mm: float = 0.0,
    white: int = 225,
    black: int = 25,
) -> Image:
    """``ground`` with the printed sheet laid on it: ``to_picture`` maps millimetres to pixels."""
    from vision.sheet import sheet_picture

    per_mm = 6
    paper = cv2.copyMakeBorder(
        sheet_picture(pixels_per_mm=per_mm),
        25 * per_mm,
        25 * per_mm,
        18 * per_mm,
        18 * per_mm,
        cv2.BORDER_CONSTANT,
        value=(255, 255, 255),
    )
    high_mm, wide_mm = paper.shape[0] / per_mm, paper.shape[1] / per_mm
    c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    to_mm = np.array(
        [
            [c / per_mm, -s / per_mm, right_mm - (c * wide_mm - s * high_mm) / 2],
            [s / per_mm, c / per_mm, down_mm - (s * wide_mm + c * high_mm) / 2],
            [0, 0, 1],
        ]
    )
    matrix = np.asarray(to_picture) @ to_mm
    height, width = ground.shape[:2]
    high, wide = paper.shape[:2]
    edges = np.array([[[0.0, 0.0]], [[wide, 0.0]], [[wide, high]], [[0.0, high]]])
    flat = cv2.perspectiveTransform(edges, matrix).reshape(-1, 2)
    x0, y0 = np.clip(np.floor(flat.min(axis=0)), 0, (width, height)).astype(int)
    x1, y1 = np.clip(np.ceil(flat.max(axis=0)), 0, (width, height)).astype(int)
    # Drawn three times too large and shrunk: the edges of a real picture are not stairs.
    fine = 3
    finer = np.diag([fine, fine, 1.0]) @ np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]]) @ matrix
    size = (int(x1 - x0) * fine, int(y1 - y0) * fine)
    laid = cv2.warpPerspective(paper, finer, size, flags=cv2.INTER_AREA)
    cover = cv2.warpPerspective(np.full(paper.shape[:2], 255, np.uint8), finer, size)
    once = (int(x1 - x0), int(y1 - y0))
    inked = black + cv2.resize(laid, once, interpolation=cv2.INTER_AREA) * ((white - black) / 255)
    share = cv2.resize(cover, once, interpolation=cv2.INTER_AREA)[..., None] / 255.0
    picture = ground.copy()
    under = picture[y0:y1, x0:x1]
    under[:] = np.clip(inked * share + under * (1 - share), 0, 255).astype(np.uint8)
    return picture


def write_sheet(path: Path) -> None:
    """Write the sheet to print."""
    path.write_bytes(sheet_pdf())


def _write_picture(path: Path, image: Image) -> None:
    _, encoded = cv2.imencode(path.suffix.lower(), image)
    path.write_bytes(encoded.tobytes())


# --- for the page --------------------------------------------------------------------------------


class TableSetup:
    """The camera as the calibration page asks it (``web_dashboard.ports.Calibrating``).

    ``newest``: the kit's newest frame, None before the first. ``use``: play by this calibration
    from now on. ``path``: where it is kept.
    """

    def __init__(
        self,
        *,
        newest: Callable[[], Frame | None],
        reader: CardReader,
        path: Path,
        use: Callable[[Calibration], None],
        lock: CameraLock | None = None,
        clock_us: Callable[[], int] = lambda: time.time_ns() // 1000,
    ) -> None:
        self._newest = newest
        self._reader = reader
        self._path = path
        self._use = use
        self._lock = lock
        self._clock_us = clock_us
        self._seen: tuple[Image, Placed | None, bool] | None = None

    def look(self) -> Line:
        """Look at the newest picture (see the port for the answer's shape)."""
        frame = self._newest()
        if frame is None:
            self._seen = None
            nothing = worded("the camera has given no picture yet")
            return _look_line(False, nothing, picture=False)
        image = frame.image.copy()
        try:
            placed, found = examine(image, self._reader)
        except NoTableFound as error:
            self._seen = (image, None, False)
            return _look_line(False, said_of(error.said), picture=True)
        good = all(check.verdict != "fail" for check in found)
        self._seen = (image, placed, good)
        text = worded(
            "the table was found by the printed sheet"
            if placed.found_by == "sheet"
            else "the table was found by the four cards"
        )
        return _look_line(True, text, picture=True, checks=found, may_keep=good)

    def picture(self) -> bytes | None:
        """The last look as a JPEG."""
        if self._seen is None:
            return None
        image, placed, _ = self._seen
        shown = image if placed is None else drawn(image, placed)
        _, encoded = cv2.imencode(".jpg", shown, [cv2.IMWRITE_JPEG_QUALITY, 80])
        return encoded.tobytes()

    def keep(self) -> Sentence | None:
        """Keep what the last look found; the reason why not."""
        if self._seen is None or self._seen[1] is None:
            return worded("look first: nothing has been found yet")
        image, placed, good = self._seen
        if not good:
            return worded("cards would not be read well here: mend what failed and look again")
        made = Calibration(
            made_at_us=self._clock_us(),
            placed=placed,
            landmarks=landmarks_of(image, placed),
            lock=self._lock,
        )
        keep(self._path, made)
        self._use(made)
        return None

    def cards(self) -> Line:
        """The cards in the newest picture, each with its confidence."""
        frame = self._newest()
        read = () if frame is None else self._reader.read(frame.image)
        return {
            "cards": [
                {"card": d.card, "confidence": round(d.confidence, 4)}
                for d in read
                if d.card is not None and (d.kind == "card" or d.why == "low")
            ]
        }

    def sheet(self) -> bytes:
        """The sheet to print."""
        return sheet_pdf()


def _look_line(
    found: bool,
    said: Sentence,
    *,
    picture: bool,
    checks: tuple[Check, ...] = (),
    may_keep: bool = False,
) -> Line:
    return {
        "found": found,
        "text": english(said),
        "say": say_json(said),
        "picture": picture,
        "checks": [_check_told(check) for check in checks],
        "may_keep": may_keep,
    }


def _check_told(check: Check) -> Line:
    return {
        "name": check.name,
        "verdict": check.verdict,
        "text": str(check.text),
        "cure": str(check.cure or ""),
        "say": say_json(said_of(check.text)),
        "say_cure": None if check.cure is None else say_json(said_of(check.cure)),
    }


def said_of(told: Saying) -> Sentence:
    """What the calibration says, as the kit says everything: for any language."""
    args: dict[str, Arg] = {
        name: said_of(value) if isinstance(value, Saying) else value
        for name, value in told.args.items()
    }
    return Sentence(key=told.template, args=args)


# --- lines ---------------------------------------------------------------------------------------


def found_line(placed: Placed) -> Line:
    """What was found, for a program."""
    return {
        "kind": "found",
        "by": placed.found_by,
        "width": placed.width_px,
        "height": placed.height_px,
    }


def check_line(check: Check) -> Line:
    """One check, for a program."""
    return {
        "kind": "check",
        "name": check.name,
        "verdict": check.verdict,
        "text": str(check.text),
        "cure": str(check.cure or ""),
    }


def sentence(line: Line) -> str:
    """One line for a person at a terminal."""
    match line["kind"]:
        case "looking":
            return f"looking ({line['source']}) ..."
        case "found":
            by = {"sheet": "the printed sheet", "cards": "the four cards"}[line["by"]]
            return f"found the table by {by} in a picture of {line['width']} x {line['height']}"
        case "check":
            cure = f" - {line['cure']}" if line["cure"] else ""
            return f"  {line['verdict']:4}  {line['name']:9}  {line['text']}{cure}"
        case "kept":
            taken = "the sheet" if line["found_by"] == "sheet" else "the cards"
            return f"kept in {line['path']}: take {taken} away, the table is ready"
        case _:
            return f"not kept: {', '.join(line['failed'])}"
