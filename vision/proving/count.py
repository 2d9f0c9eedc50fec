"""One picture's readings against what lies there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vision.measure import match
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
