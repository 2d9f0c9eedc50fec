"""One picture's readings against what lies there."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vision.classify import IndexReading
from vision.measure import match
from vision.pair import Rules, asked_alone
from vision.ports import Detection

#: What is counted of a picture. ``cards`` leaves out the optional ones. ``wrong`` holds
#: every named detection that matches no labelled card by name and place; ``misplaced`` is
#: the part of them whose card does lie in the picture, only elsewhere than its box.
COUNTS = ("pictures", "cards", "found", "wrong", "misplaced", "unsure", "named")


def counted(detections: Sequence[Detection], cards: Sequence[dict[str, Any]]) -> dict[str, int]:
    """The counts of one picture; a card is ``{"card", "box"?, "optional"?}``."""
    found, _, wrong = match(detections, cards)
    there = {c["card"] for c in cards}
    return {
        "pictures": 1,
        "cards": sum(not c.get("optional") for c in cards),
        "found": sum(not c.get("optional") for c in found),
        "wrong": len(wrong),
        "misplaced": sum(d.card in there for d in wrong),
        "unsure": sum(d.kind == "unsure" for d in detections),
        "named": sum(d.kind == "card" for d in detections),
    }


def summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The sum of several pictures' counts."""
    total: Counter[str] = Counter(dict.fromkeys(COUNTS, 0))
    for one in counts:
        total.update(one)
    return dict(total)


def share(counts: Mapping[str, int]) -> float:
    """Cards found, in per cent."""
    return round(100 * counts["found"] / max(counts["cards"], 1), 2)


#: An index of which at least this share is seen is whole.
WHOLE = 0.98
#: An index was read where the finder's middle lies this near to its own, in its heights.
REACH = 0.6
#: An index of which less is seen was hardly what the finder found.
HARDLY = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """An index in the picture: its middle and height in pixels, and the share that is seen."""

    x: float
    y: float
    height_px: float
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Lying:
    """A card that lies in the picture: its name, None for none of ours, box and indices."""

    name: str | None
    box: tuple[float, float, float, float]
    marks: Sequence[Mark]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One reading against what lies there: the index and its card's name, None where none does.

    ``named``: it names its card by itself at these rules; ``wrong``: and that is not its name.
    """

    mark: Mark | None
    true: str | None
    named: bool
    wrong: bool


def judged(reading: IndexReading, cards: Sequence[Lying], rules: Rules) -> Judged:
    """Of several indices at one place the nearest was read; what is covered counts as further off,
    half a height where all of it is. Where none is known, or one that is hardly seen, a card of
    that name may lie there: of some four-index decks only two are known."""
    spot = reading.spot
    near = [
        (away + (1 - mark.share) / 2, k, card, mark)
        for k, card in enumerate(cards)
        for mark in card.marks
        if mark.share > 0
        and (away := math.hypot(mark.x - spot.x, mark.y - spot.y) / mark.height_px) < REACH
    ]
    named = reading.card is not None and reading.confidence >= asked_alone(reading, rules)
    true: str | None = None
    mark: Mark | None = None
    if near:
        *_, there, mark = min(near, key=lambda n: n[:2])
        true = there.name
    if (mark is None or mark.share < HARDLY) and any(
        card.name == reading.card
        and card.box[0] <= spot.x <= card.box[2]
        and card.box[1] <= spot.y <= card.box[3]
        for card in cards
    ):
        true = reading.card
    return Judged(mark=mark, true=true, named=named, wrong=named and reading.card != true)
