"""Show a person what the reader saw: outlines, indices with their votes, pairs, and doubts.

Left the picture, right one row for each card: why it is named or not, and each of its
indices upright and enlarged, as the classifier was given it, with its votes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import cv2
import numpy as np

from vision.body import BodyVote, against
from vision.body import votes_of as body_votes_of
from vision.classify import IndexReading, cut_upright
from vision.frame import Image
from vision.pair import (
    Group,
    Rules,
    asked_alone,
    hidden_points,
    kept_groups,
    lies_free,
    name_group,
    quad_of,
)
from vision.picture import as_frame_image
from vision.ports import Detection, Quad
from vision.reader import Reader

#: The drawn picture's long side lies between these, so that lines and letters are readable.
LEAST_SIDE_PX, MOST_SIDE_PX = 1100, 1920
_PANEL_PX = 760
_CROP_ZOOM = 2
_FONT = cv2.FONT_HERSHEY_SIMPLEX

Colour: TypeAlias = tuple[int, int, int]
_COLOURS: dict[str, Colour] = {
    "card": (40, 150, 0),
    "unsure": (0, 110, 240),
    "back": (190, 80, 0),
}
_GREY: Colour = (150, 150, 150)
_INK: Colour = (30, 30, 30)
_PAPER: Colour = (245, 245, 245)
#: Spots in no card that are shown all the same, the likeliest first.
_MOST_UNUSED = 12


def reason(
    group: Group, detection: Detection, rules: Rules, contrary: BodyVote | None = None
) -> str:
    """One sentence: what the name rests on, or why none is given.

    ``contrary``: the vote of the card's body, where it withheld the name.
    """
    lead = group.readings[0]
    if contrary is not None:
        return (
            f"its corners say {lead.card} ({lead.confidence:.2f}), its body {body_words(contrary)}:"
            " no card of ours looks so"
        )
    agreeing = [r for r in group.readings if r.card == lead.card]
    match detection.why:
        case None if name_group(group, rules)[2] == "low":
            return f"best index {lead.confidence:.3f}, and its body shows just that card"
        case None if len(agreeing) > 1:
            return f"{len(agreeing)} indices agree, the best at {lead.confidence:.3f}"
        case None:
            asked = asked_alone(lead, rules)
            return f"one index, {lead.confidence:.3f}: {asked:.2f} is enough alone"
        case "duplicate":
            return "the same name stands in two places: both are left to a person"
        case "foreign":
            return f"no rank of ours (none {lead.none:.2f}): a foreign letter or half an index"
        case "conflict" if group.contested:
            return f"{lead.card} {lead.confidence:.2f}, but two indices know another card there"
        case "conflict":
            rival = next(
                (r for r in group.readings if r.card != lead.card and r.confidence >= rules.rival),
                lead,
            )
            return f"its indices disagree: {lead.card} {lead.confidence:.2f}, " + (
                f"{rival.card} {rival.confidence:.2f}"
            )
        case "low":
            return (
                f"best index {lead.confidence:.2f}: alone {asked_alone(lead, rules):.2f} is asked, "
                f"of two that agree {rules.agreeing:.2f} each"
            )
        case other:
            return str(other)


def body_words(vote: BodyVote) -> str:
    """What a body shows, in a few words: ``shows 8 (0.99), red (0.97)``."""
    what, share = vote.shows
    words = {"court": "a court", "joker": "a joker", "-": "nothing known", "T": "10"}
    red = sum(p for suit, p in vote.suits if suit in "dh")
    black = sum(p for suit, p in vote.suits if suit in "cs")
    colour = f", red ({red:.2f})" if red > 0.5 else f", black ({black:.2f})" if black > 0.5 else ""
    return f"shows {words.get(what, what)} ({share:.2f}){colour}"


def votes_of(reading: IndexReading) -> list[str]:
    """An index's votes, a line each: names, then the shares of "no rank" and of a suit of ours."""
    lines = [f"{card} {p:.3f}" for card, p in reading.votes[:3]]
    return [*lines, f"none {reading.none:.2f}", f"suit {reading.suit_seen:.2f}"]


def explained(image: Image, reader: Reader, detections: Sequence[Detection]) -> Image:
    """Draw what ``reader`` saw in ``image`` beside the ``detections`` it reported of it.

    ``image`` is H x W x 3, BGR, 8 bits; so is the answer, of another size.
    """
    readings, _ = reader.readings(image)
    rules = reader.settings.rules
    groups = kept_groups(readings, rules)
    by_quad = {quad_of(g): g for g in groups}
    cards: list[tuple[Detection, Group | None]] = [
        (d, by_quad.get(d.quad) if d.quad is not None else None) for d in detections
    ]
    used = {id(r) for _, g in cards if g is not None for r in g.readings}
    numbers: dict[int, int] = {}
    for _, group in cards:
        for reading in group.readings if group else ():
            numbers.setdefault(id(reading), len(numbers) + 1)
    spare = sorted(
        (r for r in readings if id(r) not in used), key=lambda r: r.spot.score, reverse=True
    )[:_MOST_UNUSED]
    for reading in spare:
        numbers[id(reading)] = len(numbers) + 1
    picture = _picture(image, cards, spare, numbers)
    bodies = _bodies(image, reader, cards)
    panel = _panel(image, reader, cards, spare, numbers, picture.shape[0], bodies)
    height = max(picture.shape[0], panel.shape[0])
    both = [
        cv2.copyMakeBorder(
            part,
            0,
            height - part.shape[0],
            0,
            0,
            cv2.BORDER_CONSTANT,
            value=_PAPER,
        )
        for part in (picture, panel)
    ]
    return np.ascontiguousarray(np.hstack(both), np.uint8)


def _bodies(
    image: Image, reader: Reader, cards: Sequence[tuple[Detection, Group | None]]
) -> dict[Quad, BodyVote]:
    """What the witness says of the cards that lie free, by their outlines."""
    settings = reader.settings.body
    if reader.body is None or settings is None:
        return {}
    quads = [d.quad for d, group in cards if group is not None and d.quad is not None]
    height, width = image.shape[:2]
    free = [q for k, q in enumerate(quads) if lies_free(k, quads, width_px=width, height_px=height)]
    votes = body_votes_of(reader.body, image, free, settings)
    return {q: vote for q, vote in zip(free, votes, strict=True) if vote is not None}


def explained_reading(
    image: Image, reader: Reader, *, labels: Sequence[Mapping[str, object]] = ()
) -> Image:
    """Read ``image`` and explain it; ``labels`` (``card``, ``box``) are drawn in blue, thinly."""
    image = as_frame_image(image)
    readings, backs = reader.readings(image)
    detections = reader.gathered(image, readings, backs)
    marked = image.copy()
    drawn = explained(marked, reader, detections)
    scale = _scale(image)
    for label in labels:
        box = label.get("box")
        if isinstance(box, Sequence):
            x0, y0, x1, y1 = (round(float(v) * scale) for v in box)
            cv2.rectangle(drawn, (x0, y0), (x1, y1), (230, 120, 0), 1)
            _write(drawn, f"is {label.get('card')}", (x0 + 3, y1 - 4), (230, 120, 0), 0.45)
    return drawn


def _scale(image: Image) -> float:
    longest = max(image.shape[:2])
    if longest < LEAST_SIDE_PX:
        return float(LEAST_SIDE_PX / longest)
    return float(min(1.0, MOST_SIDE_PX / longest))


def _write(
    drawn: Image, text: str, place: tuple[int, int], colour: Colour, size: float = 0.5
) -> None:
    """Letters on a pale ground, readable wherever they stand."""
    (wide, high), below = cv2.getTextSize(text, _FONT, size, 1)
    x, y = place
    x = max(0, min(x, drawn.shape[1] - wide - 2))
    cv2.rectangle(drawn, (x - 1, y - high - 1), (x + wide + 1, y + below), (248, 248, 248), -1)
    cv2.putText(drawn, text, (x, y), _FONT, size, colour, 1, cv2.LINE_AA)


def _title(detection: Detection) -> str:
    name = detection.card or ("back" if detection.kind == "back" else "?")
    doubt = f" unsure: {detection.why}" if detection.kind == "unsure" else ""
    return f"{name} {detection.confidence:.3f}{doubt}"


def _picture(
    image: Image,
    cards: Sequence[tuple[Detection, Group | None]],
    spare: Sequence[IndexReading],
    numbers: Mapping[int, int],
) -> Image:
    scale = _scale(image)
    size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    drawn = np.asarray(cv2.resize(image, size, interpolation=way), np.uint8)

    def at(x: float, y: float) -> tuple[int, int]:
        return round(x * scale), round(y * scale)

    for reading in spare:
        _index(drawn, reading, scale, _GREY, numbers[id(reading)])
    for detection, group in cards:
        colour = _COLOURS[detection.kind]
        if detection.quad is not None:
            points = np.array([at(*p) for p in detection.quad], np.int32)
            cv2.polylines(drawn, [points], True, colour, 1, cv2.LINE_AA)
        x0, y0, x1, y1 = detection.box
        cv2.rectangle(drawn, at(x0, y0), at(x1, y1), colour, 2)
        if group is not None:
            spots = [r.spot for r in group.readings]
            for k, one in enumerate(spots):
                for two in spots[k + 1 :]:
                    cv2.line(drawn, at(one.x, one.y), at(two.x, two.y), colour, 1, cv2.LINE_AA)
            for reading in group.readings:
                _index(drawn, reading, scale, colour, numbers[id(reading)])
            if detection.quad is not None:
                # where the card should show another index, and none was found
                for x, y in hidden_points(group, detection.quad):
                    cv2.drawMarker(drawn, at(x, y), colour, cv2.MARKER_TILTED_CROSS, 9, 1)
        left, top = at(x0, y0)
        _write(drawn, _title(detection), (left + 3, max(14, top - 5)), colour, 0.55)
    return drawn


def _index(drawn: Image, reading: IndexReading, scale: float, colour: Colour, number: int) -> None:
    s = reading.spot
    across = (-s.up_y, s.up_x)
    half, wide = s.height_px / 2 * scale, s.height_px * 0.26 * scale
    x, y = s.x * scale, s.y * scale
    corners = [
        (x + s.up_x * half * a + across[0] * wide * b, y + s.up_y * half * a + across[1] * wide * b)
        for a, b in ((1, -1), (1, 1), (-1, 1), (-1, -1))
    ]
    cv2.polylines(drawn, [np.array(corners, np.int32)], True, colour, 1, cv2.LINE_AA)
    top = (round(x + s.up_x * half), round(y + s.up_y * half))
    tip = (round(x + s.up_x * half * 1.5), round(y + s.up_y * half * 1.5))
    cv2.arrowedLine(drawn, top, tip, colour, 1, cv2.LINE_AA, tipLength=0.5)
    _write(drawn, str(number), (round(x + wide) + 2, round(y) + 4), colour, 0.4)


def _panel(
    image: Image,
    reader: Reader,
    cards: Sequence[tuple[Detection, Group | None]],
    spare: Sequence[IndexReading],
    numbers: Mapping[int, int],
    height_px: int,
    bodies: Mapping[Quad, BodyVote],
) -> Image:
    """One block for each card, in columns as high as the picture."""
    settings = reader.settings.body
    rules = reader.settings.rules
    blocks: list[Image] = []
    for detection, group in cards:
        text = _title(detection)
        if group is not None:
            vote = bodies.get(detection.quad) if detection.quad is not None else None
            lead = group.readings[0].card
            withheld = (
                vote is not None
                and settings is not None
                and detection.why == "foreign"
                and lead is not None
                and against(lead, vote, settings) is not None
            )
            text += ": " + reason(group, detection, rules, vote if withheld else None)
            if vote is not None and not withheld:
                text += f"; its body {body_words(vote)}"
        readings = group.readings if group is not None else ()
        blocks.append(_block(image, reader, text, readings, numbers, _COLOURS[detection.kind]))
    if not cards:
        blocks.append(_block(image, reader, "Nothing was read as a card.", (), numbers, _INK))
    if spare:
        text = "Looked at, and part of no card:"
        blocks.append(_block(image, reader, text, spare, numbers, _INK))
    columns: list[list[Image]] = [[]]
    for block in blocks:
        filled = sum(b.shape[0] for b in columns[-1])
        if columns[-1] and filled + block.shape[0] > height_px:
            columns.append([])
        columns[-1].append(block)
    high = max(sum(b.shape[0] for b in column) for column in columns)
    stacked = [
        cv2.copyMakeBorder(
            np.vstack(column),
            0,
            high - sum(b.shape[0] for b in column),
            0,
            0,
            cv2.BORDER_CONSTANT,
            value=_PAPER,
        )
        for column in columns
    ]
    return np.ascontiguousarray(np.hstack(stacked), np.uint8)


def _block(
    image: Image,
    reader: Reader,
    text: str,
    readings: Sequence[IndexReading],
    numbers: Mapping[int, int],
    colour: Colour,
) -> Image:
    """A line of text and, under it, the indices upright, some to a row."""
    s = reader.settings
    crop_h, crop_w = (v * _CROP_ZOOM for v in s.crop_px)
    row_h, cell_w = crop_h + 26, crop_w + 94
    a_row = max(1, _PANEL_PX // cell_w)
    rows = math.ceil(len(readings) / a_row)
    block = np.full((34 + rows * row_h, _PANEL_PX, 3), _PAPER, np.uint8)
    _write(block, text, (12, 20), colour, 0.45)
    for k, reading in enumerate(readings):
        x, y = 12 + (k % a_row) * cell_w, 32 + (k // a_row) * row_h
        crop = cut_upright(image, reading.spot, crop_px=s.crop_px, index_px=s.crop_index_px)
        block[y : y + crop_h, x : x + crop_w] = cv2.resize(
            crop, (crop_w, crop_h), interpolation=cv2.INTER_CUBIC
        )
        cv2.rectangle(block, (x, y), (x + crop_w, y + crop_h), colour, 1)
        spot = reading.spot
        told = [f"#{numbers[id(reading)]}", *votes_of(reading), f"spot {spot.score:.2f}"]
        for line, words in enumerate(told):
            _write(block, words, (x + crop_w + 4, y + 12 + 15 * line), _INK, 0.4)
        _write(block, f"{spot.height_px:.0f} px", (x, y + crop_h + 14), _INK, 0.4)
    return block
