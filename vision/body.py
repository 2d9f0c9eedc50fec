"""The witness: what the body of a whole card shows, beside what its corners say.

A card that lies free is flattened to a small upright view; a little net says how many pips it has,
or that it shows a court or a joker, and which suit. It never names a card by itself. Where it is
sure of something that the name cannot be, the name is withheld: a foreign letter that reads as an 8
in both corners still stands on a court card. Where it counts just the pips of a name that the
corners are not sure of, it bears that name out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.cards import Card
from vision.frame import Image
from vision.ports import Quad

#: Height and width of the view; the card fills it but for the margin on every side.
VIEW_PX = (76, 56)
_MARGIN_PX = 4
#: Bodies that can belong to a name, beside the one that does: a big single pip (large print)
#: belongs to any number, an ornate ace looks like a court.
_ALSO = {
    "A": ("court", "joker"),
    "J": ("joker", "A"),
    "Q": ("joker", "A"),
    "K": ("joker", "A"),
    "B": ("court", "A"),
    "b": ("court", "A"),
}
_RED = "dh"
#: Bodies that tell one rank from all others. Courts look alike, and a foreign letter on one passes
#: for J, Q or K; one big pip may belong to any number.
TELLING = "23456789T"
#: What a body that bears a name out must give the name's own suit, beside its colour.
OWN_SUIT = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyVote:
    """What a body shows: its likeliest class and suit, and all their probabilities.

    ``classes`` runs over the names of the machine card (``A`` to ``T``, ``court``, ``joker``,
    ``-`` for covered or none of these), ``suits`` over ``c d h s -``.
    """

    classes: tuple[tuple[str, float], ...]
    suits: tuple[tuple[str, float], ...]

    @property
    def shows(self) -> tuple[str, float]:
        """The likeliest class and its probability."""
        return max(self.classes, key=lambda one: one[1])

    @property
    def suit(self) -> tuple[str, float]:
        """The likeliest suit and its probability."""
        return max(self.suits, key=lambda one: one[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class BodySettings:
    """The witness's part of the machine card. ``sure``: from here it may withhold a name."""

    classes: tuple[str, ...]
    suits: tuple[str, ...]
    temperature: float
    sure: float
    least_card_px: float


def against(card: Card, vote: BodyVote, settings: BodySettings) -> float | None:
    """How surely the body cannot be ``card``'s (a probability), or None: nothing is said.

    ``vote`` must be as sure as the settings ask, of something that is not "none of these". Its
    suits withhold nothing: blue diamonds are black to it.
    """
    rank = str(card)[0]
    own = "court" if rank in "JQK" else "joker" if rank in "Bb" else rank
    allowed = {own, "-", *_ALSO.get(rank, ("A",))}
    contrary = sum(p for what, p in vote.classes if what not in allowed)
    if contrary >= settings.sure and vote.shows[0] not in allowed:
        return contrary
    return None


def backing(card: Card, vote: BodyVote, settings: BodySettings) -> float | None:
    """How surely the body is ``card``'s and no other's (a probability), or None: nothing is said.

    Only of the numbers from 2 to 10; it must be as sure of the pips and of their colour as the
    settings ask of one that withholds a name, and hold its suit for the likeliest.
    """
    rank, suit = str(card)[0], str(card)[-1]
    if rank not in TELLING:
        return None
    shown = dict(vote.classes)[rank]
    suits = dict(vote.suits)
    colour = sum(p for s, p in vote.suits if s != "-" and (s in _RED) == (suit in _RED))
    if shown < settings.sure or colour < settings.sure or suits[suit] < OWN_SUIT:
        return None
    return shown * colour


def flattened(image: Image, quad: Quad | Sequence[Sequence[float]]) -> Image:
    """The card inside ``quad`` (clockwise from its own top left), upright, ``VIEW_PX`` large."""
    high, wide = VIEW_PX
    m = _MARGIN_PX
    corners = np.asarray(quad, np.float32)
    x0, y0 = np.floor(corners.min(axis=0)) - 3
    x1, y1 = np.ceil(corners.max(axis=0)) + 4
    x0, y0 = max(0, int(x0)), max(0, int(y0))
    part: NDArray[Any] = image[y0 : max(int(y1), y0 + 2), x0 : max(int(x1), x0 + 2)]
    corners = corners - np.array([x0, y0], np.float32)
    tall = float(np.linalg.norm(corners[3] - corners[0]))
    shrink = 1.4 * (high - 2 * m) / max(tall, 1.0)
    if shrink < 0.7 and part.size:
        # by area first: a warp alone would skip pixels
        part = cv2.resize(part, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        corners = corners * shrink
    inside = np.array([[m, m], [wide - m, m], [wide - m, high - m], [m, high - m]], np.float32)
    # four corners moved as they lie: an affine map is all that a foretold outline warrants
    matrix = cv2.getAffineTransform(corners[[0, 1, 3]], inside[[0, 1, 3]])
    if part.size == 0:
        return np.zeros((high, wide, 3), np.uint8)
    view = cv2.warpAffine(
        part, matrix, (wide, high), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(view, np.uint8)


def votes_of(
    session: Any, image: Image, quads: Sequence[Quad], settings: BodySettings
) -> list[BodyVote | None]:
    """The witness's vote on each card, from one run of the net; None: too small to say."""
    large = [k for k, quad in enumerate(quads) if _height_of(quad) >= settings.least_card_px]
    votes: list[BodyVote | None] = [None] * len(quads)
    if not large:
        return votes
    views = np.stack([flattened(image, quads[k]) for k in large])
    batch = np.empty((len(large), 3, *VIEW_PX), np.float32)
    np.multiply(views.transpose(0, 3, 1, 2), np.float32(1 / 255), out=batch)
    bodies, suits = session.run(["body", "suit"], {"views": batch})
    for k, body, suit in zip(large, bodies, suits, strict=True):
        votes[k] = BodyVote(
            classes=_shares(body, settings.classes, settings.temperature),
            suits=_shares(suit, settings.suits, settings.temperature),
        )
    return votes


def _height_of(quad: Quad) -> float:
    return math.hypot(quad[3][0] - quad[0][0], quad[3][1] - quad[0][1])


def _shares(
    logits: NDArray[np.float32], names: Sequence[str], temperature: float
) -> tuple[tuple[str, float], ...]:
    grown = [math.exp(v / temperature) for v in (logits - logits.max()).tolist()]
    total = sum(grown)
    return tuple((name, v / total) for name, v in zip(names, grown, strict=True))
