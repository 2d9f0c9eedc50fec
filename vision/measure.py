"""Measure the reader on labelled photographs: found, wrong and unsure, folder by folder.

A folder holds pictures and ``labels.json``
(``{"images":[{"file","cards":[{"card","box"?,"optional"?}]}]}``). A reading matches by
name within its picture, and the middle of its box must lie in the labelled box grown by a
fifth (where the label has a box). A card marked ``optional`` is right if read, no miss if not.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from vision.errors import VisionError
from vision.picture import load_picture
from vision.ports import Box, CardReader, Detection
from vision.reader import STILL_SIDES_PX, load_reader

#: A labelled box is grown by this share of its size before the middle is looked for in it.
GROWN = 0.2


class BadLabels(VisionError, ValueError):
    """``labels.json`` is missing or not in its form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Counts of one folder. ``cards`` leaves out the optional ones."""

    folder: str
    pictures: int
    cards: int
    found: int
    wrong: int
    unsure: int
    duplicate: int
    ms_median: float
    misses: tuple[str, ...]
    mistakes: tuple[str, ...]


def middle_in(box: Box, labelled: Sequence[float], *, grown: float = GROWN) -> bool:
    """Whether the middle of ``box`` lies in the labelled box grown by ``grown`` of its size."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    x0, y0, x1, y1 = labelled
    more_x, more_y = (x1 - x0) * grown / 2, (y1 - y0) * grown / 2
    return x0 - more_x <= x <= x1 + more_x and y0 - more_y <= y <= y1 + more_y


def match(
    detections: Sequence[Detection], cards: Sequence[dict[str, Any]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[Detection]]:
    """Labelled cards found and missed, and named detections that match none."""
    left = [d for d in detections if d.kind == "card"]
    found, missed = [], []
    for card in cards:
        hit = next(
            (
                d
                for d in left
                if d.card == card["card"] and ("box" not in card or middle_in(d.box, card["box"]))
            ),
            None,
        )
        if hit is None:
            missed.append(card)
        else:
            left.remove(hit)
            found.append(card)
    return found, missed, left


def labels_of(folder: Path) -> list[dict[str, Any]]:
    """The labelled images of a folder. Raises :class:`BadLabels`."""
    path = folder / "labels.json"
    try:
        images = json.loads(path.read_text(encoding="utf-8"))["images"]
    except FileNotFoundError as fault:
        raise BadLabels(f"{path} is missing: give a folder of labelled photographs") from fault
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise BadLabels(f"{path} is not a label file ({fault!r}): see data/README.md") from fault
    return list(images)


def measure(reader: CardReader, folder: Path, *, keep: Sequence[str] | None = None) -> Tally:
    """Read every labelled picture of ``folder`` (or those named in ``keep``) and count."""
    counts = {"pictures": 0, "cards": 0, "found": 0, "wrong": 0, "unsure": 0, "duplicate": 0}
    times: list[float] = []
    misses: list[str] = []
    mistakes: list[str] = []
    for entry in labels_of(folder):
        if keep is not None and entry["file"] not in keep:
            continue
        image = load_picture(folder / entry["file"])
        began = time.monotonic()
        detections = reader.read(image)
        times.append((time.monotonic() - began) * 1000)
        found, missed, wrong = match(detections, entry["cards"])
        must = [c for c in entry["cards"] if not c.get("optional")]
        counts["pictures"] += 1
        counts["cards"] += len(must)
        counts["found"] += sum(not c.get("optional") for c in found)
        counts["wrong"] += len(wrong)
        counts["unsure"] += sum(d.kind == "unsure" for d in detections)
        counts["duplicate"] += sum(d.why == "duplicate" for d in detections)
        misses += [f"{entry['file']}:{c['card']}" for c in missed if not c.get("optional")]
        mistakes += [f"{entry['file']}:{d.card}@{d.confidence:.3f}" for d in wrong]
    times.sort()
    return Tally(
        folder=str(folder),
        **counts,
        ms_median=round(times[len(times) // 2], 1) if times else 0.0,
        misses=tuple(misses),
        mistakes=tuple(mistakes),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """``python -m vision.measure FOLDER... [--json] [--video] [--models DIR]``."""
    parser = argparse.ArgumentParser(prog="python -m vision.measure", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--json", action="store_true", help="one line of JSON for each folder")
    parser.add_argument("--video", action="store_true", help="look as at video frames")
    parser.add_argument("--models", type=Path, default=None, help="another folder of models")
    parser.add_argument("--threads", type=int, default=2)
    chosen = parser.parse_args(arguments)
    sides = {} if chosen.video else {"sides_px": STILL_SIDES_PX}
    try:
        reader = load_reader(models_dir=chosen.models, threads=chosen.threads, **sides)
        for folder in chosen.folders:
            tally = measure(reader, folder)
            if chosen.json:
                print(json.dumps(asdict(tally)), flush=True)
            else:
                share = 100 * tally.found / max(tally.cards, 1)
                print(
                    f"{folder}: found {tally.found}/{tally.cards} ({share:.1f}%), "
                    f"wrong {tally.wrong}, unsure {tally.unsure} "
                    f"({tally.duplicate} duplicate), {tally.ms_median} ms",
                    flush=True,
                )
    except (VisionError, OSError, ValueError) as fault:
        print(f"measure: {fault}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
