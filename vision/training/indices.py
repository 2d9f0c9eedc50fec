"""Upright index crops made afresh, straight from faces, without a scene around them.

A scene spends most of its time on what no crop shows. Here only the corner of a card is
drawn (or cut from deck art), leaned, lit, blurred and photographed at the size a camera has
it, and cut upright again with the finder's own errors of pose: some thousand a second and
core, so that no crop is ever shown twice.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training.colours import any_blue, any_green, printed_in
from vision.training.faces import (
    DISPLAY_FONTS,
    NO_RANK,
    NO_SUIT,
    RANKS,
    SUITS,
    Face,
    Mask,
    Shelf,
    card_classes,
    drawn_as,
    drawn_as_ours,
    foreign_sign,
    joker_mask,
    load_shelf,
    random_style,
    text_mask,
)
from vision.training.letters import (
    HELD_OUT_LETTERS,
    any_letter,
    foreign_rank,
    strange_partner,
)
from vision.training.scenes import ANY_WAY_UP, COVERED, INDEX_IN_CROP_PX, LIKELY_DECKS
from vision.training.textures import Picture, load_textures

#: A corner: a square with the index in its middle, this high, and 1.5 times as much around.
CORNER_INDEX_PX = 64
CORNER_PX = 192
CROP_PX = (56, 44)
#: Index heights in the camera's picture.
LOW_PX, HIGH_PX = 7.5, 75.0
#: From this height on a letter that passes for a rank can be told from it.
TELLS_PX = 17.0
#: Share of decks with green clubs and blue diamonds, drawn and printed in two colours; under this
#: height they are not shown.
FOUR_COLOURS = 0.18
FOUR_COLOURS_PX = 13.0
#: Share of crops that show no index at all.
NOTHING = 0.1
#: Shares of crops on which another card lies, and something that is no card (a finger, a chip).
ANOTHER_ON_IT = 0.4
SOMETHING_ON_IT = 0.05
#: So many index heights from the middle the index of a card that covers ours has to lie: nearer,
#: it is what the crop shows, and no "none".
AWAY = 0.8
#: What print is made of.
PRINT = (
    "THE", "and", "of", "Score", "1", "2", "3", "5", "7", "8", "10", "25", "100", "A", "K", "Q",
    "J", "N", "S", "E", "W", "Total", "Deluxe", "game", "Esc", "Tab", "F5", "OK", "Start", "WE",
    "THEY", "€", "$", "DEALER", "50", "0", "4", "6", "9", "k", "a", "e", "i", "o", "II", "JE",
)  # fmt: skip
#: Fonts that hold most rows of letters and signs.
_WIDE_FONTS = tuple(
    Path("/usr/share/fonts/truetype/dejavu") / f"DejaVu{name}.ttf"
    for name in ("Sans", "Sans-Bold", "Serif", "Serif-Bold", "SansCondensed")
)
POOL = 6000
#: Faces of one drawn deck in a row.
A_STYLE = 8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Corner:
    """A card's corner (BGRA), its classes, and the index's width in heights.

    ``least_px``: under this height it is not shown, as nobody could tell what it is.
    """

    picture: NDArray[np.uint8]
    rank: int
    suit: int
    width: float
    least_px: float


@dataclass(slots=True, kw_only=True, eq=False)
class Bench:
    """What corners are made of; ``drawn`` is replaced a few at a time."""

    shelf: Shelf
    textures: list[Picture]
    art: dict[str, list[Corner]]
    drawn: list[Corner]
    glyphs: dict[tuple[Path, str], Mask | None]


def _glyph(bench: Bench, font: Path, text: str) -> Mask | None:
    key = (font, text)
    if key not in bench.glyphs:
        bench.glyphs[key] = text_mask(font, text, 72)
    return bench.glyphs[key]


def _foreign_glyph(bench: Bench, font: Path, text: str) -> Mask | None:
    """The glyph, or None where the font lacks it or draws it as one of our ranks."""
    key = (font, f"foreign {text}")
    if key not in bench.glyphs:
        mask = _glyph(bench, font, text)
        twin = mask is not None and drawn_as_ours(font, mask)
        bench.glyphs[key] = None if twin else mask
    return bench.glyphs[key]


def _strange_glyph(bench: Bench, font: Path, rng: np.random.Generator) -> Mask | None:
    """A sign nobody expects, or a rank mirrored or head down; None where it is hard to tell.

    What comes near a rank, or near a letter that is kept from training, is left out.
    """
    mask: Mask | None
    if rng.random() < 0.25:
        ours = _glyph(bench, font, "234567JQK"[int(rng.integers(9))])
        ways: tuple[slice, ...] = (slice(None), slice(None, None, -1))
        if ours is None:
            return None
        mask = np.ascontiguousarray(ours[ways[int(rng.integers(2))], ways[1]])
    else:
        font = font if rng.random() < 0.5 else _WIDE_FONTS[int(rng.integers(len(_WIDE_FONTS)))]
        mask = text_mask(font, any_letter(rng), 72)
    if mask is None or not 0.35 < mask.shape[1] / mask.shape[0] < 2.2:
        return None
    near = drawn_as(font, mask, (*"23456789JQKA", "10"), alike=0.7)
    return None if near or drawn_as(font, mask, HELD_OUT_LETTERS, alike=0.7) else mask


def art_corner(face: Face, which: int = 0) -> Corner:
    """The corner of a printed face around its first index."""
    index = face.indices[which]
    left, top, right, bottom = index.box
    scale = CORNER_INDEX_PX / (bottom - top)
    middle = ((left + right) / 2, (top + bottom) / 2)
    matrix = np.array(
        [
            [scale, 0, CORNER_PX / 2 - 0.5 - scale * (middle[0] - 0.5)],
            [0, scale, CORNER_PX / 2 - 0.5 - scale * (middle[1] - 0.5)],
        ]
    )
    flags = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    picture = cv2.warpAffine(face.mips[0], matrix, (CORNER_PX, CORNER_PX), flags=flags)
    width = (right - left) / (bottom - top)
    return Corner(picture=picture, rank=index.rank, suit=index.suit, width=width, least_px=0)


def in_four_colours(corner: Corner, rng: np.random.Generator) -> Corner:
    """A printed corner as its four-colour deck has it: clubs green, diamonds blue.

    Only of cards with pips: a court's picture keeps its colours, and is left as it is.
    """
    if corner.rank >= len(RANKS) or corner.suit == NO_SUIT:
        return corner
    if RANKS[corner.rank] in "JQK" or SUITS[corner.suit] not in "cd":
        return corner
    ink = any_green(rng) if SUITS[corner.suit] == "c" else any_blue(rng)
    picture = printed_in(corner.picture, ink)
    least_px = max(corner.least_px, FOUR_COLOURS_PX)
    return replace(corner, picture=picture, least_px=least_px)


def _mixed(area: NDArray[np.uint8], mask: Mask, ink: tuple[int, ...] | NDArray[np.float32]) -> None:
    share = mask[..., None].astype(np.float32) * np.float32(1 / 255)
    area[..., :3] = area[..., :3] * (1 - share) + np.asarray(ink, np.float32) * share


def _lay(
    canvas: NDArray[np.uint8],
    mask: Mask,
    x: float,
    y: float,
    width: float,
    height: float,
    ink: tuple[int, ...],
) -> None:
    """Ink through ``mask``, scaled to width x height, its left top corner at (x, y)."""
    w, h = max(2, round(width)), max(2, round(height))
    scaled = cv2.resize(mask, (w, h), interpolation=cv2.INTER_AREA)
    x0, y0 = round(x), round(y)
    cx, cy = max(x0, 0), max(y0, 0)
    x1, y1 = min(x0 + w, CORNER_PX), min(y0 + h, CORNER_PX)
    if x1 > cx and y1 > cy:
        _mixed(canvas[cy:y1, cx:x1], scaled[cy - y0 : y1 - y0, cx - x0 : x1 - x0], ink)


def _weighted(mask: Mask, rng: np.random.Generator) -> Mask:
    """Bolder, thinner, slanted or hollow: what one font becomes on another deck."""
    kind = rng.random()
    if kind < 0.2:
        k = int(rng.integers(2, 6))
        mask = cv2.dilate(np.pad(mask, k // 2 + 1), np.ones((k, k), np.uint8))
    elif kind < 0.32:
        thin = cv2.erode(mask, np.ones((int(rng.integers(2, 4)),) * 2, np.uint8))
        mask = thin if thin.mean() > 0.45 * mask.mean() else mask
    elif kind < 0.34:
        k = int(rng.integers(5, 9))
        mask = np.pad(mask, k)
        mask = cv2.subtract(
            cv2.dilate(mask, np.ones((3, 3), np.uint8)), cv2.erode(mask, np.ones((k, k), np.uint8))
        )
    if rng.random() < 0.12:
        slant = rng.normal(0, 0.15)
        high, wide = mask.shape
        more = int(abs(slant) * high) + 1
        matrix = np.array([[1, -slant, slant * high / 2 + more / 2], [0, 1, 0]])
        mask = cv2.warpAffine(mask, matrix, (wide + more, high))
    return mask


def draw_corner(bench: Bench, style: Any, rng: np.random.Generator) -> Corner:
    """A corner nobody printed, in ``style`` (:func:`~vision.training.faces.random_style`)."""
    shelf, middle = bench.shelf, CORNER_PX / 2
    high = float(CORNER_INDEX_PX)
    inks = style.inks
    four_colours = bool(rng.random() < FOUR_COLOURS)
    if four_colours:
        inks = inks | {"c": any_green(rng), "d": any_blue(rng)}
    is_joker = rng.random() < 0.03
    card = (
        "Bb"[int(rng.integers(2))]
        if is_joker
        else (RANKS[int(rng.integers(13))] + SUITS[int(rng.integers(4))])
    )
    rank, suit = card_classes(card)
    least_px = FOUR_COLOURS_PX if four_colours else 0.0
    # glyphs
    glyph: Mask | None = None
    suit_mask: Mask | None = None
    ink = inks["s"] if card == "b" else inks.get(card[-1], inks["h"])
    stretch = style.rank_stretch
    if is_joker:
        glyph, kind = joker_mask(style, rng)
        if card == "B":
            ink = (int(rng.integers(0, 200)), int(rng.integers(0, 90)), int(rng.integers(140, 255)))
    else:
        suit_mask = style.suit_masks[card[1]]
        if rng.random() < 0.05:
            sign = foreign_sign(rng)
            if sign is not None:
                suit_mask, suit, ink = sign, NO_SUIT, tuple(int(v) for v in rng.integers(0, 200, 3))
        if rng.random() < 0.34:
            large = bool(rng.random() < 0.5)
            text = foreign_rank(rng, large=large)
            glyph, rank = _foreign_glyph(bench, style.font, text), NO_RANK
            if large and rng.random() < 0.3:
                strange = _strange_glyph(bench, style.font, rng)
                glyph = glyph if strange is None else strange
            if glyph is None:
                glyph = _glyph(bench, style.font, str(rng.choice(list("BDVR1"))))
            least_px = max(least_px, TELLS_PX if large else 11.0)
        else:
            if style.rank_deck is not None:
                glyph = shelf.rank_masks.get(style.rank_deck, {}).get(card[0])
            if glyph is None:
                glyph = _glyph(bench, style.font, {"T": "10"}.get(card[0], card[0]))
    if glyph is None:
        return draw_corner(bench, style, rng)
    if not is_joker and rng.random() < 0.012:
        partner = strange_partner(card[0], rng)
        other = _glyph(bench, style.font, partner) if partner else None
        if other is not None:
            wide = cv2.resize(other, (glyph.shape[1], glyph.shape[0]))
            glyph, rank, least_px = np.maximum(glyph, wide), NO_RANK, 20.0
    glyph = _weighted(glyph, rng)
    ratio = style.suit_height / style.rank_height
    gap = high * float(np.clip(style.gap / style.rank_height * 0.6, 0.02, 0.2))
    rank_h = (high - gap) / (1 + ratio)
    suit_h = high - gap - rank_h
    rank_w = min(rank_h * glyph.shape[1] / glyph.shape[0] * stretch, 1.25 * rank_h)
    top = middle - high / 2
    if is_joker:
        if kind in ("stack", "along"):
            rank_h = high * rng.uniform(0.8, 2.2)
            rank_w = max(8.0, min(rank_h * glyph.shape[1] / glyph.shape[0], 0.65 * high))
        elif kind == "word":
            rank_w = high * rng.uniform(0.9, 1.6)
            rank_h = rank_w * glyph.shape[0] / glyph.shape[1]
        else:
            rank_h = rank_w = high * rng.uniform(0.3, 0.6)
    suit_w = 0.0
    if suit_mask is not None:
        suit_w = suit_h * suit_mask.shape[1] / suit_mask.shape[0] * style.suit_stretch
    width = max(rank_w, suit_w, 0.3 * high)
    # the paper and its corner
    canvas = np.zeros((CORNER_PX, CORNER_PX, 4), np.uint8)
    canvas[..., :3] = style.paper
    left = max(0, round(middle - width / 2 - high * rng.uniform(0.04, 0.42)))
    edge = max(0, round(top - high * rng.uniform(0.06, 0.45)))
    radius = round(high * rng.uniform(0.05, 0.4))
    alpha = np.zeros((CORNER_PX, CORNER_PX), np.uint8)
    alpha[edge:, left + radius :] = 255
    alpha[edge + radius :, left:] = 255
    cv2.circle(alpha, (left + radius, edge + radius), radius, 255, -1, cv2.LINE_AA)
    canvas[..., 3] = alpha
    # what lies beside it: pips, a court picture, a line
    beside = rng.random()
    x = middle + width / 2 + high * rng.uniform(0.03, 0.7)
    if beside < 0.34 and suit_mask is not None:
        size = high * rng.uniform(0.6, 1.25)
        _lay(canvas, suit_mask, x, top + high * rng.uniform(-0.25, 0.7), size, size, ink)
    elif beside < 0.64 and shelf.courts:
        picture = shelf.courts[int(rng.integers(len(shelf.courts)))]
        x0, y0 = int(x), int(edge + high * rng.uniform(0.05, 0.6))
        if CORNER_PX - x0 > 8 and CORNER_PX - y0 > 8:
            part = cv2.resize(picture, (int(3.0 * high), int(4.8 * high)))
            canvas[y0:, x0:, :3] = part[: CORNER_PX - y0, : CORNER_PX - x0]
            if style.line:
                colour = (*(int(v) for v in rng.integers(0, 170, 3)), 255)
                cv2.rectangle(canvas, (x0, y0), (500, 500), colour, int(rng.integers(1, 4)))
            if suit_mask is not None and rng.random() < 0.6:
                size = high * rng.uniform(0.5, 0.9)
                _lay(canvas, suit_mask, x0 + 3, y0 + 4, size, size, ink)
    elif beside < 0.69:
        colour = (*(int(v) for v in rng.integers(0, 170, 3)), 255)
        far = round(high * rng.uniform(0.02, 0.2))
        cv2.rectangle(canvas, (left + far, edge + far), (500, 500), colour, int(rng.integers(1, 4)))
    _lay(canvas, glyph, middle - rank_w / 2, top, rank_w, rank_h, ink)
    if suit_mask is not None and rng.random() < 0.97:
        off = rng.normal(0, 0.02) * high
        y = top + high - suit_h
        _lay(canvas, suit_mask, middle - suit_w / 2 + off, y, suit_w, suit_h, ink)
    elif suit_mask is not None:
        rank, suit = NO_RANK, NO_SUIT  # a letter without a suit is print
    picture = canvas
    if style.four and rng.random() < 0.5:  # the other upper corner: the card lies to the left
        flipped = np.ascontiguousarray(canvas[:, ::-1])
        box = (slice(round(top) - 2, round(top + high) + 2),)
        wide = round(width / 2) + 3
        middle_x = round(middle)
        inner = canvas[box[0], middle_x - wide : middle_x + wide].copy()
        flipped[box[0], CORNER_PX - middle_x - wide : CORNER_PX - middle_x + wide] = inner
        picture = flipped
    return Corner(picture=picture, rank=rank, suit=suit, width=width / high, least_px=least_px)


def _height(rng: np.random.Generator, least_px: float) -> float:
    low = max(LOW_PX, least_px)
    if rng.random() < 0.62 and low < 26:
        return float(np.exp(rng.uniform(np.log(low), np.log(26))))
    return float(np.exp(rng.uniform(np.log(max(low, 18)), np.log(HIGH_PX))))


def _random_ground(bench: Bench, side: int, rng: np.random.Generator) -> NDArray[np.float32]:
    if bench.textures and rng.random() < 0.7:
        texture = bench.textures[int(rng.integers(len(bench.textures)))]
        room_y, room_x = texture.shape[0] - side, texture.shape[1] - side
        if room_x > 0 and room_y > 0:
            y, x = int(rng.integers(room_y)), int(rng.integers(room_x))
            return texture[y : y + side, x : x + side, :3].astype(np.float32)
    return np.full((side, side, 3), rng.uniform(0, 255, 3), np.float32)


def _any_corner(bench: Bench, rng: np.random.Generator) -> Corner:
    if rng.random() < 0.42:
        names = sorted(bench.art)
        likely = [n for n in LIKELY_DECKS if n in bench.art]
        pool = bench.art[
            likely[int(rng.integers(len(likely)))]
            if likely and rng.random() < 0.25
            else names[int(rng.integers(len(names)))]
        ]
        corner = pool[int(rng.integers(len(pool)))]
        return in_four_colours(corner, rng) if rng.random() < FOUR_COLOURS else corner
    return bench.drawn[int(rng.integers(len(bench.drawn)))]


def _warped(corner: Corner, pose: NDArray[np.float64], side: int) -> NDArray[np.uint8]:
    """The corner through ``pose`` (2 x 3, corner's pixels to the picture's), BGRA."""
    picture, half = corner.picture, 1
    scale = float(np.sqrt(abs(pose[0, 0] * pose[1, 1] - pose[0, 1] * pose[1, 0])))
    while scale * half < 0.62 and picture.shape[0] > 24:
        picture = cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        half *= 2
    pose = pose.copy()
    pose[:, 2] += pose[:, :2] @ np.full(2, (half - 1) / 2)
    pose[:, :2] *= half
    return cv2.warpAffine(picture, pose, (side, side), flags=cv2.INTER_LINEAR)


def _over(
    image: NDArray[np.float32], card: NDArray[np.uint8], rng: np.random.Generator, spread: float
) -> None:
    alpha = card[..., 3]
    if rng.random() < 0.6:
        reach = rng.normal(0, spread, 2)
        matrix = np.array([[1, 0, reach[0]], [0, 1, reach[1]]], np.float32)
        shade = cv2.warpAffine(alpha, matrix, (alpha.shape[1], alpha.shape[0]))
        shade = cv2.GaussianBlur(shade, (0, 0), max(spread, 0.6))
        image *= 1 - shade[..., None] * np.float32(rng.uniform(0.1, 0.6) / 255)
    share = alpha[..., None] * np.float32(1 / 255)
    light = np.float32(rng.uniform(0.86, 1.06))
    image *= 1 - share
    if rng.random() < 0.5:  # other inks on the same art: the dark end lifted, red staying red
        lift = np.abs(rng.normal(0, (18, 18, 10), 3)).astype(np.float32)
        image += (card[..., :3] * (light * (1 - lift / 255)) + light * lift) * share
    else:
        image += card[..., :3] * (share * light)


def _pose(
    high: float, turn: float, lean: float, way: float, middle: tuple[float, float], side: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Matrix from a corner to a picture of ``side``, and the index's "up" there (not of unit).

    ``middle``: the corner's point that comes to lie in the picture's middle.
    """
    c, s = np.cos(way), np.sin(way)
    spin = np.array([[c, -s], [s, c]])
    squash = spin @ np.diag([1.0, np.cos(lean)]) @ spin.T
    c, s = np.cos(turn), np.sin(turn)
    matrix = squash @ np.array([[c, -s], [s, c]])
    up = matrix @ np.array([0.0, -float(CORNER_INDEX_PX)])
    matrix = matrix * (high / np.linalg.norm(up))
    centre = np.full(2, side / 2 - 0.5)
    return np.c_[matrix, centre - matrix @ (np.array(middle) - 0.5)], up


def _lit(picture: NDArray[np.float32], high: float, rng: np.random.Generator) -> Picture:
    """Light, lens and sensor, as :func:`vision.training.scenes.camera`, with a harder tail."""
    side = picture.shape[0]
    if rng.random() < 0.5:
        ends = rng.uniform(0.65, 1.12, size=(2, 2)).astype(np.float32)
        picture *= cv2.resize(ends, (side, side))[..., None]
    if rng.random() < 0.1:
        ys, xs = np.mgrid[0:side, 0:side].astype(np.float32)
        x, y = rng.uniform(0, side, 2)
        reach = high * rng.uniform(0.4, 2.5)
        spot = np.exp(-(((xs - x) / reach) ** 2) - ((ys - y) / reach) ** 2)
        picture += spot[..., None] * np.float32(rng.uniform(20, 150))
    warm = rng.normal(0.05, 0.14)
    picture *= np.array(
        [np.exp(-warm + rng.normal(0, 0.04)), 1.0, np.exp(warm * 0.8 + rng.normal(0, 0.04))],
        np.float32,
    )
    gain = rng.uniform(0.75, 1.15)
    if rng.random() < 0.3:
        gain = np.exp(rng.uniform(np.log(0.14), np.log(1.4)))
    picture *= np.float32(gain)
    gamma = float(np.exp(rng.normal(0, 0.2)))
    picture = np.clip(picture, 0, 255) / np.float32(255)
    picture = 255 * picture ** np.float32(gamma)
    if rng.random() < 0.2:
        grey = picture.mean(axis=2, keepdims=True)
        picture = grey + (picture - grey) * np.float32(rng.uniform(0.5, 1.35))
    blur = abs(rng.normal(0, 0.03)) if rng.random() < 0.85 else rng.uniform(0.03, 0.12)
    blur = float(min(blur, 0.12)) * high
    if blur > 0.3:
        picture = cv2.GaussianBlur(picture, (0, 0), blur)
    if rng.random() < 0.2:
        reach = rng.uniform(0.03, 0.2) * high
        taps = int(np.ceil(reach)) * 2 + 1
        if taps >= 3:
            kernel = np.zeros((taps, taps), np.float32)
            a, mid = rng.uniform(0, np.pi), taps // 2
            x, y = np.cos(a) * reach / 2, np.sin(a) * reach / 2
            cv2.line(
                kernel, (round(mid - x), round(mid - y)), (round(mid + x), round(mid + y)), 1.0
            )
            picture = cv2.filter2D(picture, -1, kernel / max(float(kernel.sum()), 1e-6))
    if rng.random() < 0.25:
        down = rng.uniform(max(0.45, min(1.0, 10 / high)), 1.0)
        small = cv2.resize(picture, None, fx=down, fy=down, interpolation=cv2.INTER_AREA)
        way = cv2.INTER_LINEAR if rng.random() < 0.5 else cv2.INTER_CUBIC
        picture = cv2.resize(small, (side, side), interpolation=way)
    if rng.random() < 0.3:
        soft = cv2.GaussianBlur(picture, (0, 0), 1.2)
        picture = picture + (picture - soft) * np.float32(rng.uniform(0.3, 1.6))
    if rng.random() < 0.75:
        noise = abs(rng.normal(0, 6.5))
        picture = picture + rng.standard_normal(picture.shape, dtype=np.float32) * np.float32(noise)
    out = np.clip(picture, 0, 255).astype(np.uint8)
    if rng.random() < 0.65:
        packed = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(30, 96))])
        out = cv2.imdecode(packed[1], cv2.IMREAD_COLOR)
    return out


def _another_word(bench: Bench, font: Path, rng: np.random.Generator) -> Mask | None:
    """Letters one below the other, or a word turned or not; None where the font has no letters."""
    letters = "ABCDEFGHIKLMNOPRSTUVWabdefghiklmnoprstu"
    text = "".join(letters[int(k)] for k in rng.integers(len(letters), size=rng.integers(3, 8)))
    if rng.random() < 0.5:
        text = PRINT[int(rng.integers(len(PRINT)))]
    if rng.random() < 0.45:
        mask = text_mask(font, text, 48)
        turn = rng.random() < 0.6
        return mask if mask is None or not turn else np.ascontiguousarray(np.rot90(mask))
    signs = [m for sign in text if (m := _glyph(bench, font, sign)) is not None]
    if len(signs) < 2:
        return None
    width = max(m.shape[1] for m in signs)
    gap = int(rng.integers(4, 14))
    rows = []
    for m in signs:
        before = (width - m.shape[1]) // 2
        rows.append(np.pad(m, ((0, gap), (before, width - m.shape[1] - before))))
    return np.vstack(rows)


def _something(side: int, high: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """A finger, a chip or the like (BGRA, ``side`` square), its edge near the picture's middle."""
    canvas = np.zeros((side, side, 4), np.uint8)
    skin = rng.random() < 0.6
    colour = rng.uniform((70, 95, 130), (185, 205, 240)) if skin else rng.uniform(0, 255, 3)
    canvas[..., :3] = colour
    a, thick = rng.uniform(0, 2 * np.pi), high * rng.uniform(0.5, 1.6)
    far = thick / 2 + high * rng.uniform(-0.35, 0.6)
    x, y = side / 2 + far * np.cos(a), side / 2 + far * np.sin(a)
    alpha = np.zeros((side, side), np.uint8)
    if skin or rng.random() < 0.4:  # a bar with a round end
        b = a + rng.uniform(-np.pi / 2, np.pi / 2)
        end = (round(x + 3 * high * np.cos(b)), round(y + 3 * high * np.sin(b)))
        cv2.line(alpha, (round(x), round(y)), end, 255, max(2, round(thick)), cv2.LINE_AA)
    else:
        cv2.circle(alpha, (round(x), round(y)), max(1, round(thick / 2)), 255, -1, cv2.LINE_AA)
    canvas[..., 3] = alpha
    return canvas


def _nothing(bench: Bench, rng: np.random.Generator) -> Corner:
    """What the finder may take for an index and is none: print, suit signs, parts of courts."""
    shelf, middle = bench.shelf, CORNER_PX / 2
    canvas = np.zeros((CORNER_PX, CORNER_PX, 4), np.uint8)
    paper = rng.uniform(170, 255, 3) if rng.random() < 0.7 else rng.uniform(0, 255, 3)
    canvas[..., :3] = paper
    canvas[..., 3] = 255 if rng.random() < 0.7 else 0
    ink = tuple(int(v) for v in rng.integers(0, 256, 3))
    kind = rng.random()
    if kind < 0.08:  # a word that stands as a joker's does, and is another one
        font = shelf.fonts[int(rng.integers(len(shelf.fonts)))]
        mask = _another_word(bench, font, rng)
        if mask is not None:
            high = CORNER_INDEX_PX * rng.uniform(0.8, 2.2)
            wide = max(8.0, min(high * mask.shape[1] / mask.shape[0], 1.6 * CORNER_INDEX_PX))
            canvas[..., 3] = 255
            _lay(canvas, mask, middle - wide / 2, middle - CORNER_INDEX_PX / 2, wide, high, ink)
    elif kind < 0.55:  # a line of print, letters one over another, a number in a frame
        font = shelf.fonts[int(rng.integers(len(shelf.fonts)))]
        high = CORNER_INDEX_PX * rng.uniform(0.3, 1.1)
        for line in range(int(rng.integers(1, 4))):
            mask = _glyph(bench, font, PRINT[int(rng.integers(len(PRINT)))])
            if mask is None:
                continue
            wide = high * mask.shape[1] / mask.shape[0]
            x = middle - wide * rng.uniform(0.1, 0.9)
            y = middle + (line - rng.uniform(0.3, 1.2)) * high * 1.3
            canvas[..., 3] = 255
            _lay(canvas, mask, x, y, wide, high, ink)
    elif kind < 0.8:  # signs of suits alone
        ink = (30, 20, 200) if rng.random() < 0.5 else (25, 25, 25)
        masks = shelf.suit_masks[SUITS[int(rng.integers(4))]]
        mask = masks[int(rng.integers(len(masks)))]
        canvas[..., 3] = 255
        for _ in range(int(rng.integers(1, 4))):
            size = CORNER_INDEX_PX * rng.uniform(0.4, 1.8)
            x, y = middle + rng.uniform(-0.9, 0.9, 2) * CORNER_INDEX_PX - size / 2
            _lay(canvas, mask, x, y, size, size, ink)
    elif shelf.courts:
        picture = shelf.courts[int(rng.integers(len(shelf.courts)))]
        scale = rng.uniform(0.8, 3.0)
        part = cv2.resize(picture, None, fx=scale, fy=scale)
        room_y, room_x = part.shape[0] - CORNER_PX, part.shape[1] - CORNER_PX
        if room_x > 0 and room_y > 0:
            y, x = int(rng.integers(room_y)), int(rng.integers(room_x))
            canvas[..., :3] = part[y : y + CORNER_PX, x : x + CORNER_PX]
            canvas[..., 3] = 255
    return Corner(picture=canvas, rank=NO_RANK, suit=NO_SUIT, width=0.6, least_px=0)


def _covered_share(corner: Corner, pose: NDArray[np.float64], cover: NDArray[np.uint8]) -> float:
    """How much of the index lies under ``cover`` (alpha of what lies above it)."""
    wide, high = corner.width * CORNER_INDEX_PX / 2, CORNER_INDEX_PX / 2
    gx, gy = np.meshgrid(np.linspace(-wide, wide, 5), np.linspace(-high, high, 9))
    points = np.c_[gx.ravel(), gy.ravel()] + CORNER_PX / 2 - 0.5
    there = np.round(points @ pose[:, :2].T + pose[:, 2]).astype(int)
    there = np.clip(there, 0, cover.shape[0] - 1)
    return float((cover[there[:, 1], there[:, 0]] > 128).mean())


def photograph(bench: Bench, rng: np.random.Generator) -> tuple[Picture, int, int]:
    """One crop (56 x 44 x 3, BGR, 8 bits), its rank and suit classes."""
    while True:
        corner = _nothing(bench, rng) if rng.random() < NOTHING else _any_corner(bench, rng)
        rank, suit = corner.rank, corner.suit
        high = _height(rng, corner.least_px)
        side = int(2.5 * high) + 8
        turn, way = rng.uniform(0, 2 * np.pi, 2)
        lean = float(np.radians(rng.uniform(0, 50))) * rng.random() ** 0.4
        pose, up = _pose(high, turn, lean, way, (CORNER_PX / 2, CORNER_PX / 2), side)
        image = _random_ground(bench, side, rng)
        spread = high * 0.05
        if rng.random() < 0.35:  # it lies on another card
            under = _any_corner(bench, rng)
            place = tuple(CORNER_PX / 2 + rng.uniform(-0.9, 0.9, 2) * CORNER_INDEX_PX)
            low, _ = _pose(
                high * rng.uniform(0.9, 1.1), rng.uniform(0, 2 * np.pi), lean, way, place, side
            )
            _over(image, _warped(under, low, side), rng, spread)
        _over(image, _warped(corner, pose, side), rng, spread)
        covered = 0.0
        if rng.random() < ANOTHER_ON_IT:
            upper = _any_corner(bench, rng)
            a = rng.uniform(0, 2 * np.pi)
            far = rng.uniform(0.5, 1.5) * CORNER_INDEX_PX
            place = (CORNER_PX / 2 + far * np.cos(a), CORNER_PX / 2 + far * np.sin(a))
            if rng.random() < 0.6:  # by its paper, not by its index
                place = (min(place[0], 40.0), min(place[1], 40.0))
            on, _ = _pose(
                high * rng.uniform(0.9, 1.1), rng.uniform(0, 2 * np.pi), lean, way, place, side
            )
            card = _warped(upper, on, side)
            covered = _covered_share(corner, pose, card[..., 3])
            away = np.hypot(*(np.array(place) - CORNER_PX / 2)) / CORNER_INDEX_PX
            if covered > 0.2 and away < AWAY:
                continue
            _over(image, card, rng, spread)
        elif rng.random() < SOMETHING_ON_IT / (1 - ANOTHER_ON_IT):
            thing = _something(side, high, rng)
            covered = _covered_share(corner, pose, thing[..., 3])
            _over(image, thing, rng, spread)
        if covered >= COVERED:
            if covered > 0.95 or rng.random() < 0.5:
                continue
            rank, suit = NO_RANK, NO_SUIT
        picture = _lit(image, high, rng)
        # cut upright again, with the finder's errors of pose
        unit = up / np.linalg.norm(up)
        angle = float(np.clip(rng.normal(0, np.radians(5)), -0.3, 0.3))
        shift = np.clip(rng.normal(0, 0.045, 2), -0.14, 0.14) * high
        grown = float(np.exp(np.clip(rng.normal(0, 0.075), -0.25, 0.25)))
        wrong = rng.random()
        if wrong < 0.03 and rank in ANY_WAY_UP:
            pass  # a turned star is a star
        elif wrong < 0.02:
            angle, rank, suit = angle + np.pi, NO_RANK, NO_SUIT
        elif wrong < 0.03:
            angle, rank, suit = angle + rng.choice([-1, 1]) * np.pi / 2, NO_RANK, NO_SUIT
        elif wrong < 0.04:
            shift = shift + unit * rng.choice([-1, 1]) * rng.uniform(0.6, 0.9) * high
            rank, suit = NO_RANK, NO_SUIT
        scale = INDEX_IN_CROP_PX / (high * grown)
        ux = unit[0] * np.cos(angle) - unit[1] * np.sin(angle)
        uy = unit[0] * np.sin(angle) + unit[1] * np.cos(angle)
        cos, sin = -uy * scale, ux * scale
        matrix = np.array([[cos, sin], [-sin, cos]])
        at = np.full(2, side / 2 - 0.5) + shift
        matrix = np.c_[matrix, np.array([CROP_PX[1] / 2 - 0.5, CROP_PX[0] / 2 - 0.5]) - matrix @ at]
        crop = cv2.warpAffine(
            picture,
            matrix,
            (CROP_PX[1], CROP_PX[0]),
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
        return crop, rank, suit


def _renew(bench: Bench, count: int, rng: np.random.Generator) -> None:
    """Draw ``count`` corners; they take random places of a full pool."""
    left = 0
    style: Any = None
    for _ in range(count):
        if left == 0:
            style, left = random_style(bench.shelf, rng), A_STYLE
            if style.font.parent.name in DISPLAY_FONTS and rng.random() < 0.5:
                style = random_style(bench.shelf, rng)  # print in such fonts is rarer than they are
        left -= 1
        corner = draw_corner(bench, style, rng)
        if len(bench.drawn) < POOL:
            bench.drawn.append(corner)
        else:
            bench.drawn[int(rng.integers(POOL))] = corner


def make_bench(
    work: Path, rng: np.random.Generator, *, held_out: bool = False, drawn: int = POOL
) -> Bench:
    """Decks, fonts and table tops to train on (``held_out``: the kept-back ones)."""
    shelf = load_shelf(work, held_out=held_out)
    textures = load_textures(work)
    bench = Bench(
        shelf=shelf,
        textures=[t for k, t in enumerate(textures) if (k % 6 == 2) == held_out],
        art={n: [art_corner(f) for f in faces.values()] for n, faces in shelf.art.items()},
        drawn=[],
        glyphs={},
    )
    _renew(bench, drawn, rng)
    return bench


def crops_of(
    bench: Bench, count: int, rng: np.random.Generator
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """``count`` crops (N x 56 x 44 x 3) and their classes (N x 2)."""
    crops = np.empty((count, *CROP_PX, 3), np.uint8)
    classes = np.empty((count, 2), np.uint8)
    for k in range(count):
        crops[k], classes[k, 0], classes[k, 1] = photograph(bench, rng)
    return crops, classes


def handed_over(lot: Any, out: Any, asker: int) -> bool:
    """Put ``lot`` into the queue ``out``, once there is room; False when process ``asker`` died.

    What still lies in the queue is given up then: nobody takes it, and it would keep this
    process from ending.
    """
    while True:
        if os.getppid() != asker:
            out.cancel_join_thread()
            return False
        try:
            out.put(lot, timeout=2)
        except queue.Full:
            continue
        return True


def _make(work: Path, seed: int, size: int, out: Any, asker: int) -> None:
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    bench = make_bench(work, rng, drawn=POOL // 5)  # it grows to its size as it goes
    while True:
        _renew(bench, size // 5, rng)
        if not handed_over(crops_of(bench, size, rng), out, asker):
            return


def endless_crops(
    work: Path, *, seed: int, size: int
) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.uint8]]]:
    """Lots of ``size`` fresh crops with classes, made by a process of their own.

    The same seed makes the same lots. The process ends with the one that asked.
    """
    context = multiprocessing.get_context("spawn")
    out = context.Queue(maxsize=24)
    maker = context.Process(target=_make, args=(work, seed, size, out, os.getpid()), daemon=True)
    maker.start()
    try:
        while True:
            yield out.get()
    finally:
        maker.terminate()
