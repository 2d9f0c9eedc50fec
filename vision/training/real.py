"""Real photographs: how they are split, and crops and squares mined from the part to fit on.

The labels say which card lies in which box; a first model finds the indices in it. What is
kept is checked against the label, so a misread index teaches its true name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.classify import IndexReading, angle_between
from vision.errors import VisionError
from vision.measure import labels_of
from vision.pair import AGREEING_SLACK, Group, diagonal, same_card
from vision.picture import load_picture
from vision.reader import Reader
from vision.training.faces import NO_RANK, NO_SUIT, card_classes
from vision.training.scenes import (
    CROP_H,
    CROP_W,
    IGNORE,
    K_INDEX,
    POSITIVE,
    SCENE_PX,
    Picture,
    cut_crop,
)


class NothingRead(VisionError):
    """The nets of an earlier step read nothing of what this one is to learn from."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what}: the finder and classifier of an earlier step were trained too little; "
            "raise --finder-steps and --classifier-steps and, without --from, --first-steps (3000 "
            "1600 are plenty)"
        )


#: Card groups of living_room that are never fitted on (its pictures within a group are alike).
HELD_GROUPS = ("5s6s7s8s", "2h3h4hAh", "9dJdKdQdTd", "5d9dJdKdQdTd", "5c6c7c8c")
#: phone_singles in the order of its files, cut into ten blocks; these are never fitted on.
HELD_BLOCKS = (2, 5, 8)
FOLDERS = ("phone_singles", "living_room")


def split(photos: Path, folder: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The labelled images of ``photos/train/FOLDER``: those to fit on, those held out."""
    images = labels_of(photos / "train" / folder)
    fit, held = [], []
    if folder == "living_room":
        for entry in images:
            group = "".join(sorted({c["card"] for c in entry["cards"]}))
            (held if group in HELD_GROUPS else fit).append(entry)
        return fit, held
    ordered = sorted(images, key=lambda e: e["file"])
    for k, entry in enumerate(ordered):
        (held if k * 10 // len(ordered) in HELD_BLOCKS else fit).append(entry)
    return fit, held


@dataclass(frozen=True, slots=True, kw_only=True)
class Mined:
    """One index of a photograph: its reading and the label's card, or None for what is no index."""

    reading: IndexReading
    card: str | None


def _in_box(reading: IndexReading, box: Sequence[float], grown: float) -> bool:
    x0, y0, x1, y1 = box
    more_x, more_y = (x1 - x0) * grown, (y1 - y0) * grown
    return (
        x0 - more_x <= reading.spot.x <= x1 + more_x
        and y0 - more_y <= reading.spot.y <= y1 + more_y
    )


def mine_picture(readings: Sequence[IndexReading], cards: Sequence[dict[str, Any]]) -> list[Mined]:
    """Which spots are indices of which labelled card, and which are surely none."""
    sure: dict[int, str] = {}
    for k, reading in enumerate(readings):
        owners = [c["card"] for c in cards if _in_box(reading, c["box"], 0.08)]
        if reading.card in owners and reading.confidence > 0.55:
            sure[k] = str(reading.card)
    # the other index of a card stands where its sure one says, whatever it was read as
    for k, reading in enumerate(readings):
        if k in sure:
            continue
        fits = {
            name
            for j, name in list(sure.items())
            if (
                same_card(readings[j], reading, slack=AGREEING_SLACK)
                or same_card(reading, readings[j], slack=AGREEING_SLACK)
            )
            and (
                angle_between(readings[j].spot, reading.spot) < 18
                or angle_between(readings[j].spot, reading.spot) > 162
            )
            and any(c["card"] == name and _in_box(reading, c["box"], 0.08) for c in cards)
            and 0.75 < reading.spot.height_px / readings[j].spot.height_px < 1.33
        }
        if len(fits) == 1 and reading.spot.score > 0.35:
            sure[k] = fits.pop()
    mined = [Mined(reading=readings[k], card=name) for k, name in sure.items()]
    for k, reading in enumerate(readings):
        if k in sure or reading.confidence > 0.6:
            continue
        inside = any(_in_box(reading, c["box"], 0.12) for c in cards)
        if not inside:
            mined.append(Mined(reading=reading, card=None))
        elif sure:
            # inside a card: none when it is nothing like its index in size or direction
            near = [
                readings[j]
                for j in sure
                if any(c["card"] == sure[j] and _in_box(reading, c["box"], 0) for c in cards)
            ]
            sideways = [
                n
                for n in near
                if 30 < angle_between(n.spot, reading.spot) < 150
                or not 0.6 < reading.spot.height_px / n.spot.height_px < 1.7
            ]
            if near and len(sideways) == len(near):
                mined.append(Mined(reading=reading, card=None))
    return mined


def _true_middles(
    mined: Sequence[Mined], cards: Sequence[dict[str, Any]]
) -> dict[int, tuple[float, float]]:
    """Where the card of each mined index lies, better than the finder foretold.

    Halfway between opposite corners where both were found; else, where the foretold middle
    lies outside the label's box, the box's own middle.
    """
    middles: dict[int, tuple[float, float]] = {}
    for card in cards:
        own = [m.reading for m in mined if m.card == card["card"]]
        if not own:
            continue
        across = diagonal(Group(readings=tuple(own)))
        x0, y0, x1, y1 = card["box"]
        for reading in own:
            s = reading.spot
            inside = x0 <= s.middle_x <= x1 and y0 <= s.middle_y <= y1
            foretold = (s.middle_x, s.middle_y) if inside else ((x0 + x1) / 2, (y0 + y1) / 2)
            if across is not None:
                one, two = across
                foretold = ((one.x + two.x) / 2, (one.y + two.y) / 2)
            middles[id(reading)] = foretold
    return middles


def photographs_of(photos: Path, which: str) -> Iterator[tuple[Picture, dict[str, Any]]]:
    for folder in FOLDERS:
        fit, held = split(photos, folder)
        for entry in fit if which == "fit" else held:
            yield load_picture(photos / "train" / folder / entry["file"]), entry


def mine(
    reader: Reader, photos: Path, target: Path, *, which: str = "fit", seed: int = 5
) -> dict[str, int]:
    """Write ``target`` (.npz): crops with classes, and 320 px squares with finder labels.

    Raises :class:`NothingRead`.
    """
    rng = np.random.default_rng(seed)
    crops, classes, squares, rows, starts = [], [], [], [], [0]
    for picture, entry in photographs_of(photos, which):
        readings, _ = reader.readings(picture)
        mined = mine_picture(readings, entry["cards"])
        for one in mined:
            s = one.reading.spot
            if s.height_px < 8:
                continue
            crops.append(
                cut_crop(picture, s.x, s.y, s.up_x, s.up_y, s.height_px, out_w=CROP_W, out_h=CROP_H)
            )
            classes.append((NO_RANK, NO_SUIT) if one.card is None else card_classes(one.card))
        middles = _true_middles(mined, entry["cards"])
        kept = {id(m.reading): m for m in mined}
        positives = [m for m in mined if m.card is not None]
        if not positives:
            continue
        for _ in range(2):
            centre = positives[int(rng.integers(len(positives)))].reading.spot
            scale = float(
                np.exp(
                    rng.uniform(
                        np.log(max(0.35, 9 / centre.height_px)),
                        np.log(min(1.6, 70 / centre.height_px)) + 1e-6,
                    )
                )
            )
            sized = cv2.resize(
                picture,
                None,
                fx=scale,
                fy=scale,
                interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR,
            )
            square = np.zeros((SCENE_PX, SCENE_PX, 3), np.uint8)
            x0 = int(
                np.clip(
                    centre.x * scale - rng.uniform(40, SCENE_PX - 40),
                    0,
                    max(0, sized.shape[1] - SCENE_PX),
                )
            )
            y0 = int(
                np.clip(
                    centre.y * scale - rng.uniform(40, SCENE_PX - 40),
                    0,
                    max(0, sized.shape[0] - SCENE_PX),
                )
            )
            part = sized[y0 : y0 + SCENE_PX, x0 : x0 + SCENE_PX]
            square[: part.shape[0], : part.shape[1]] = part
            count = 0
            for reading in readings:
                s = reading.spot
                cx, cy = s.x * scale - x0, s.y * scale - y0
                if not (-20 < cx < SCENE_PX + 20 and -20 < cy < SCENE_PX + 20):
                    continue
                known = kept.get(id(reading))
                if known is not None and known.card is None:
                    continue  # truly nothing: let the finder learn so
                rank, suit = (
                    card_classes(known.card) if known and known.card else (NO_RANK, NO_SUIT)
                )
                high = s.height_px * scale
                mx, my = middles.get(id(reading), (s.middle_x, s.middle_y))
                state = POSITIVE if known is not None and 7 <= high <= 84 else IGNORE
                rows.append(
                    [
                        K_INDEX,
                        cx,
                        cy,
                        s.up_x,
                        s.up_y,
                        high,
                        rank,
                        suit,
                        state,
                        mx * scale - x0,
                        my * scale - y0,
                        s.card_px * scale,
                        1.0,
                    ]
                )
                count += 1
            squares.append(square)
            starts.append(starts[-1] + count)
    if not crops or not squares:
        raise NothingRead(f"none of the photographs under {photos} was read as it is labelled")
    np.savez(
        target,
        crops=np.stack(crops),
        classes=np.array(classes, np.uint8),
        pictures=np.stack(squares),
        labels=np.array(rows, np.float32),
        starts=np.array(starts),
    )
    named = sum(1 for c in classes if c[0] != NO_RANK)
    return {"crops": named, "none": len(classes) - named, "squares": len(squares)}
