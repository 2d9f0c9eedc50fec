"""Views of whole cards, flattened, for the witness: what is printed on the body of a card.

A card is drawn on a table at the size a camera sees it, partly under others now and then,
photographed (``scenes.camera``), and flattened by an outline as inexact as the reader's are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.body import flattened
from vision.training.faces import NO_SUIT, SUITS, Face, Shelf, draw_face, load_shelf, random_style
from vision.training.nets import BODY_CLASSES
from vision.training.scenes import camera
from vision.training.textures import Picture, load_textures, table_top

NOTHING = len(BODY_CLASSES) - 1
#: Card heights in the picture, in pixels.
HEIGHTS_PX = (46.0, 190.0)
#: From this share of it hidden on, nothing is asked of a body.
MOST_HIDDEN = 0.06
#: Aces that are pictures.
PICTURE_ACES = ("gnome-slavic_costumes",)


def body_class(card: str) -> int:
    """The class of a card's body: its pips, ``court``, or ``joker``."""
    if card in "Bb":
        return BODY_CLASSES.index("joker")
    return BODY_CLASSES.index("court" if card[0] in "JQK" else card[0])


def _drawn(shelf: Shelf, rng: np.random.Generator, count: int) -> list[tuple[str, Face]]:
    faces = []
    while len(faces) < count:
        style = random_style(shelf, rng)
        for _ in range(8):
            card = "A23456789TJQK"[int(rng.integers(13))] + SUITS[int(rng.integers(4))]
            face = draw_face(shelf, style, card, rng)
            # a foreign suit in the corner comes with foreign pips
            if face.indices[0].suit != NO_SUIT:
                faces.append((card, face))
    return faces


def _pose(
    face: Face, card_px: float, middle: NDArray[np.float64], turn: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Homography from the face to the picture: turned, a little leaned, a little stretched."""
    width, height = face.size_px
    scale = card_px / height
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
    placed = (corners - [width / 2, height / 2]) * scale
    lean = rng.uniform(0, 2 * math.pi)
    squeeze = rng.uniform(0.8, 1.0) if rng.random() < 0.5 else 1.0
    c, s = math.cos(lean), math.sin(lean)
    across = np.array([[c, s], [-s, c]])
    flat = across.T @ np.diag([1.0, squeeze]) @ across
    c, s = math.cos(turn), math.sin(turn)
    placed = placed @ np.array([[c, s], [-s, c]]) @ flat.T + middle
    placed = placed + rng.normal(0, 0.012 * card_px, (4, 2))
    matrix: NDArray[np.float64] = cv2.getPerspectiveTransform(
        corners.astype(np.float32), placed.astype(np.float32)
    ).astype(np.float64)
    return matrix


def _lay(
    image: Picture, face: Face, matrix: NDArray[np.float64], scale: float
) -> NDArray[np.bool_]:
    """Draw the face; return where it now covers the picture."""
    level = 0
    while scale < 0.62 and level < len(face.mips) - 1:
        scale, level = scale * 2, level + 1
    mip = face.mips[level]
    width, height = face.size_px
    to_full = np.diag([width / mip.shape[1], height / mip.shape[0], 1.0])
    size = (image.shape[1], image.shape[0])
    warped = cv2.warpPerspective(mip, matrix @ to_full, size, flags=cv2.INTER_LINEAR)
    alpha = warped[..., 3:4].astype(np.float32) / 255
    image[:] = (image * (1 - alpha) + warped[..., :3] * alpha).astype(np.uint8)
    return warped[..., 3] > 128


def _hand(image: Picture, rng: np.random.Generator) -> NDArray[np.bool_]:
    """A finger or two reaching in, and where they cover."""
    size = image.shape[0]
    cover = np.zeros((size, size), np.uint8)
    x, y = (int(v) for v in rng.uniform(0.2 * size, 0.8 * size, 2))
    way = rng.uniform(0, 2 * math.pi)
    thick = int(rng.uniform(0.06, 0.16) * size)
    for _ in range(int(rng.integers(1, 4))):
        a = way + rng.normal(0, 0.3)
        end = (int(x + math.cos(a) * 2 * size), int(y + math.sin(a) * 2 * size))
        cv2.line(cover, (x, y), end, 255, max(2, thick), cv2.LINE_AA)
    tone = np.sort(rng.uniform([60, 85, 110], [190, 205, 240]))
    share = cover[..., None].astype(np.float32) / 255
    image[:] = (image * (1 - share) + tone * share).astype(np.uint8)
    return cover > 128


def make_view(
    decks: Sequence[Sequence[tuple[str, Face]]],
    drawn: Sequence[tuple[str, Face]],
    backs: Sequence[Face],
    textures: list[Picture],
    rng: np.random.Generator,
) -> tuple[Picture, int, int]:
    """One flattened view, the class of its body and of its suit."""

    def pick() -> tuple[str, Face]:
        deck = drawn if rng.random() < 0.25 else decks[int(rng.integers(len(decks)))]
        return deck[int(rng.integers(len(deck)))]

    card_px = float(np.exp(rng.uniform(*np.log(HEIGHTS_PX))))
    size = math.ceil(1.5 * card_px)
    image = np.ascontiguousarray(table_top(size, textures, rng))
    card, face = pick()
    what, suit = body_class(card), NO_SUIT if card in "Bb" else SUITS.index(card[1])
    if rng.random() < 0.05:
        face = backs[int(rng.integers(len(backs)))]
        what, suit = NOTHING, NO_SUIT
    middle = size / 2 + rng.normal(0, 0.03 * card_px, 2)
    turn = rng.uniform(0, 2 * math.pi)

    def beside(least: float, most: float) -> NDArray[np.bool_]:
        other = pick()[1]
        away = rng.uniform(0, 2 * math.pi)
        far = card_px * rng.uniform(least, most)
        place = middle + far * np.array([math.cos(away), math.sin(away)])
        lies = _pose(other, card_px, place, rng.uniform(0, 2 * math.pi), rng)
        return _lay(image, other, lies, card_px / other.size_px[1])

    for _ in range(int(rng.integers(0, 3)) if rng.random() < 0.3 else 0):
        beside(0.5, 1.0)
    pose = _pose(face, card_px, middle, turn, rng)
    mine = _lay(image, face, pose, card_px / face.size_px[1])
    hidden = np.zeros_like(mine)
    if rng.random() < 0.3:
        for _ in range(int(rng.integers(1, 3))):
            hidden |= beside(0.35, 1.05)
    if rng.random() < 0.06:
        hidden |= _hand(image, rng)
    if (mine & hidden).sum() > MOST_HIDDEN * max(mine.sum(), 1):
        what, suit = NOTHING, NO_SUIT
    image = camera(image, 0.2 * card_px, rng)
    width, height = face.size_px
    corners = np.array([[[0, 0], [width, 0], [width, height], [0, height]]], np.float64)
    quad = cv2.perspectiveTransform(corners, pose)[0]
    # the reader's outlines are off by some hundredths, and squashed or stretched
    across, down = quad[1] - quad[0], quad[3] - quad[0]
    centre = quad.mean(axis=0)
    wide, tall = np.exp(rng.normal(0, 0.05, 2))
    if rng.random() < 0.06:  # an outline that is plainly wrong shows nothing to count
        wide, tall = np.exp(rng.choice([-1, 1], 2) * rng.uniform(0.3, 0.6, 2))
        what, suit = NOTHING, NO_SUIT
    slip = rng.normal(0, 0.025, 2) @ np.stack([across, down])
    a = rng.normal(0, 0.05)
    spin = np.array([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]])
    corner_signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2
    meant = (corner_signs * [wide, tall]) @ np.stack([across, down])
    if rng.random() < 0.5:
        spin = -spin  # a card looks alike from both ends
    return flattened(image, (meant @ spin + centre + slip).tolist()), what, suit


def make_views(work: Path, target: Path, *, count: int, seed: int, held_out: bool = False) -> Path:
    """Write ``count`` views (.npz: ``views`` N x 76 x 56 x 3, ``classes`` N x 2) to ``target``."""
    if target.exists():
        return target
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    shelf = load_shelf(work, held_out=held_out)
    textures = [t for k, t in enumerate(load_textures(work)) if (k % 6 == 2) == held_out]
    decks = [
        [(c, f) for c, f in faces.items() if not (c[0] == "A" and deck in PICTURE_ACES)]
        for deck, faces in sorted(shelf.art.items())
    ]
    drawn: list[tuple[str, Face]] = []
    views, classes = [], []
    for k in range(count):
        if k % 400 == 0:
            drawn = [*drawn[-300:], *_drawn(shelf, rng, 100)]
        view, what, suit = make_view(decks, drawn, shelf.backs, textures, rng)
        views.append(view)
        classes.append((what, suit))
        if (k + 1) % 1000 == 0:
            print(f"{target.name}: {k + 1} of {count} views", flush=True)
    partial = target.with_suffix(".part.npz")
    np.savez(partial, views=np.stack(views), classes=np.array(classes, np.uint8))
    partial.rename(target)
    return target
