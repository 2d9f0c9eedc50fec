"""Card faces to put on tables: rendered decks, and drawn ones with glyphs of many fonts.

A face is a BGRA picture and the list of its indices. Drawn faces give what a shelf of
decks cannot: any font, any index size and place, two or four indices, foreign letters,
foreign suits and jokers of many kinds.
"""

from __future__ import annotations

import json
import string
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as PilImage
from PIL import ImageDraw, ImageFont

from vision.training.art import family_fonts, paper_of
from vision.training.letters import foreign_rank, strange_partner

FACE_PX = 420
RANKS = "23456789TJQKA"
SUITS = "cdhs"
#: Classes of the two heads: ``B`` and ``b`` are jokers, the last of each is "none".
RANK_CLASSES = (*RANKS, "B", "b", "-")
SUIT_CLASSES = (*SUITS, "-")
NO_RANK, NO_SUIT = len(RANK_CLASSES) - 1, len(SUIT_CLASSES) - 1
#: Decks never trained on: they choose nothing and show how a new deck fares.
HELD_OUT_DECKS = ("gnome-tigullio", "npm-cardsjs", "kde-standard", "gnome-anglo_modern")
#: Thresholds are chosen on these of them, and figures reported on the others.
CHOOSING_DECKS = ("gnome-tigullio", "npm-cardsjs")
HALVES = ("choose", "report")
#: Folders of fonts made for effect: many of their ranks look like nothing on any card.
DISPLAY_FONTS = ("aenigma", "bwht")
_SUIT_TEXT = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
_FOREIGN_SUIT_TEXT = "★●■▲◆☾☀✿✚☂♪♫⚔⚓●▬○□△☆⬟"

Mask = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class FaceIndex:
    """One printed index: its box (left, top, right, bottom in face pixels) and which way is up.

    ``turned`` is True for those read with the card upside down. ``rank`` and ``suit``
    are class numbers of the two heads.
    """

    box: tuple[float, float, float, float]
    turned: bool
    rank: int
    suit: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Face:
    """A face or a back (``indices`` empty, ``is_back``) and its reduced copies, largest first."""

    mips: tuple[NDArray[np.uint8], ...]
    indices: tuple[FaceIndex, ...]
    is_back: bool

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of the full face."""
        return self.mips[0].shape[1], self.mips[0].shape[0]


def make_face(
    bgra: NDArray[np.uint8], indices: tuple[FaceIndex, ...], *, is_back: bool = False
) -> Face:
    """Add the reduced copies that keep small cards free of aliasing."""
    mips = [bgra]
    for _ in range(3):
        last = mips[-1]
        mips.append(
            cv2.resize(last, (last.shape[1] // 2, last.shape[0] // 2), interpolation=cv2.INTER_AREA)
        )
    return Face(mips=tuple(mips), indices=indices, is_back=is_back)


def turned_copy(index: FaceIndex, width: int, height: int) -> FaceIndex:
    """The same index at the opposite end of the card."""
    left, top, right, bottom = index.box
    return FaceIndex(
        box=(width - right, height - bottom, width - left, height - top),
        turned=not index.turned,
        rank=index.rank,
        suit=index.suit,
    )


def card_classes(card: str) -> tuple[int, int]:
    """Class numbers of a card such as ``Kh``, ``B`` or ``b``."""
    if len(card) == 1:
        return RANK_CLASSES.index(card), NO_SUIT
    return RANK_CLASSES.index(card[0]), SUIT_CLASSES.index(card[1])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shelf:
    """Everything faces are made of. ``art`` maps a deck's name to its faces."""

    art: dict[str, dict[str, Face]]
    backs: list[Face]
    rank_masks: dict[str, dict[str, Mask]]
    suit_masks: dict[str, list[Mask]]
    fonts: list[Path]
    courts: list[NDArray[np.uint8]]


def _shrunk(face: NDArray[np.uint8]) -> NDArray[np.uint8]:
    width = round(face.shape[1] * FACE_PX / face.shape[0])
    return cv2.resize(face, (width, FACE_PX), interpolation=cv2.INTER_AREA)


def _split_index(
    face: NDArray[np.uint8], box: tuple[float, float, float, float]
) -> tuple[Mask, Mask] | None:
    """The rank's and the suit's ink as masks, or None where they touch."""
    left, top, right, bottom = (round(v) for v in box)
    patch = face[max(top, 0) : bottom, max(left, 0) : right, :3].astype(np.float32)
    ink = np.clip(np.abs(patch - paper_of(face)).max(axis=2) * 1.6, 0, 255).astype(np.uint8)
    rows = (ink > 90).sum(axis=1)
    height = len(rows)
    empty = [y for y in range(int(0.35 * height), int(0.8 * height)) if rows[y] == 0]
    if not empty:
        return None
    cut = empty[len(empty) // 2]
    parts = []
    for part in (ink[:cut], ink[cut:]):
        ys, xs = np.nonzero(part > 90)
        if len(ys) < 20:
            return None
        parts.append(part[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1])
    return parts[0], parts[1]


def text_mask(font: Path, text: str, height_px: int = 96) -> Mask | None:
    """``text`` as a mask cut to its ink; None where the font lacks it."""
    try:
        drawn = ImageFont.truetype(str(font), height_px)
        if not text.isascii() and _lacks(drawn, text):
            return None
        left, top, right, bottom = drawn.getbbox(text)
        if right - left < 4 or bottom - top < 4:
            return None
        picture = PilImage.new("L", (int(right - left) + 8, int(bottom - top) + 8))
        ImageDraw.Draw(picture).text((4 - left, 4 - top), text, fill=255, font=drawn)
    except (OSError, ValueError):
        return None
    mask = np.asarray(picture)
    ys, xs = np.nonzero(mask > 60)
    if len(ys) < 20:
        return None
    return mask[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]


def _lacks(drawn: ImageFont.FreeTypeFont, text: str) -> bool:
    """Whether the font draws its sign for "missing" in place of a letter of ``text``."""
    missing = bytes(drawn.getmask("\uf8f0"))
    return any(bytes(drawn.getmask(c)) == missing for c in text if not c.isascii())


def _unit(mask: Mask) -> NDArray[np.bool_]:
    return cv2.resize(mask, (24, 32), interpolation=cv2.INTER_AREA) > 100


@lru_cache(maxsize=20_000)
def _unit_of(font: Path, text: str) -> tuple[float, NDArray[np.bool_]] | None:
    """A text's width over its height, and its ink in a box of one size; None where it lacks."""
    mask = text_mask(font, text)
    return None if mask is None else (mask.shape[1] / mask.shape[0], _unit(mask))


def drawn_as(font: Path, mask: Mask, texts: Iterable[str], *, alike: float = 0.9) -> bool:
    """Whether the font draws one of ``texts`` just so: ``alike`` of all ink is ink of both."""
    wide, one = mask.shape[1] / mask.shape[0], _unit(mask)
    for text in texts:
        other = _unit_of(font, text)
        if other is None or not 0.85 < wide / other[0] < 1.18:
            continue
        if (one & other[1]).sum() > alike * (one | other[1]).sum():
            return True
    return False


def drawn_as_ours(font: Path, mask: Mask) -> bool:
    """Whether the font draws a rank of ours just so: a small k that is a K is no foreign letter."""
    return drawn_as(font, mask, (*"23456789JQKA", "10"))


def good_fonts(folder: Path, work: Path) -> list[Path]:
    """Fonts of ``folder`` whose ranks look like ranks; kept in ``work/fonts.json``."""
    paths = sorted([*folder.rglob("*.ttf"), *folder.rglob("*.otf")])
    no_letters = ("Emoji", "Math", "Braille", "Symbol", "cmex", "cmsy")
    lettered = [p for p in paths if not any(w in p.name for w in no_letters)]
    return _like_ranks(lettered, folder, work / "fonts.json")


def _like_ranks(paths: list[Path], folder: Path, kept: Path) -> list[Path]:
    """Those of ``paths`` whose ranks look like the ones of ``folder``'s plain sans and serif."""
    if kept.exists():
        return [Path(p) for p in json.loads(kept.read_text())]
    plain = [
        p
        for p in sorted(folder.rglob("*.ttf"))
        if p.name
        in (
            "DejaVuSans.ttf",
            "DejaVuSerif-Bold.ttf",
            "LiberationSansNarrow-Regular.ttf",
            "LiberationSerif-Regular.ttf",
        )
    ]
    letters = "23456789JQKA"
    masks = [[_unit(m) for c in letters if (m := text_mask(p, c)) is not None] for p in plain]
    fonts = []
    for path in paths:
        drawn = [m for c in letters if (m := text_mask(path, c)) is not None]
        if len(drawn) < len(letters):
            continue
        scores = []
        for k, mask in enumerate(drawn):
            unit = _unit(mask)
            scores.append(
                max(float((unit & m[k]).sum() / max((unit | m[k]).sum(), 1)) for m in masks)
            )
        if np.median(scores) > 0.5 and min(scores) > 0.22:
            fonts.append(path)
    kept.write_text(json.dumps([str(p) for p in fonts]))
    return fonts


def load_shelf(
    work: Path,
    *,
    held_out: bool = False,
    half: str | None = None,
    font_folder: Path = Path("/usr/share/fonts"),
) -> Shelf:
    """Load the rendered decks: those to train on, or (``held_out``) only the kept-back ones.

    Debian's fonts are split too: every seventh is held out; the families of ``fonts.txt`` are
    trained on alone. ``half`` (of ``HALVES``) takes one half
    of the kept-back decks and every second of the kept-back fonts.
    """
    art: dict[str, dict[str, Face]] = {}
    backs: list[Face] = []
    rank_masks: dict[str, dict[str, Mask]] = {}
    suit_masks: dict[str, list[Mask]] = {s: [] for s in SUITS}
    courts: list[NDArray[np.uint8]] = []
    for folder in sorted((work / "art").iterdir()):
        if (folder.name in HELD_OUT_DECKS) != held_out or not (folder / "deck.json").exists():
            continue
        if half is not None and (folder.name in CHOOSING_DECKS) != (half == "choose"):
            continue
        deck = json.loads((folder / "deck.json").read_text())
        faces: dict[str, Face] = {}
        for name, entry in deck["faces"].items():
            if folder.name == "gnome-plastic" and name[0] in "JQK":
                continue  # their index runs into the picture: no box to trust
            bgra = _shrunk(cv2.imread(str(folder / f"{name}.png"), cv2.IMREAD_UNCHANGED))
            height, width = bgra.shape[:2]
            card = {"high_joker": "B", "low_joker": "b"}.get(name, name)
            rank, suit = card_classes(card)
            if entry["foreign"]:
                rank = NO_RANK
            left, top, right, bottom = entry["box"]
            box = (left * width, top * height, right * width, bottom * height)
            first = FaceIndex(box=box, turned=False, rank=rank, suit=suit)
            faces[card] = make_face(bgra, (first, turned_copy(first, width, height)))
            if len(card) == 2 and not entry["foreign"] and entry["own"]:
                split = _split_index(bgra, box)
                if split:
                    rank_masks.setdefault(folder.name, {}).setdefault(card[0], split[0])
                    suit_masks[card[1]].append(split[1])
            if card[0] in "JQKBb" and len(courts) < 400:
                courts.append(
                    bgra[
                        int(0.1 * height) : int(0.9 * height),
                        int(0.17 * width) : int(0.83 * width),
                        :3,
                    ]
                )
        for name in deck["backs"]:
            backs.append(
                make_face(
                    _shrunk(cv2.imread(str(folder / f"{name}.png"), cv2.IMREAD_UNCHANGED)),
                    (),
                    is_back=True,
                )
            )
        if faces:
            art[folder.name] = faces
    fonts = good_fonts(font_folder, work)
    fonts = [f for k, f in enumerate(fonts) if (k % 7 == 3) == held_out]
    if half is not None:
        fonts = fonts[HALVES.index(half) :: 2]
    if not held_out:
        fonts += _like_ranks(family_fonts(work), font_folder, work / "family_fonts.json")
    for font in sorted(font_folder.rglob("*.ttf")):
        if any(
            w in font.name
            for w in (
                "DejaVuSans.",
                "DejaVuSans-Bold.",
                "Symbola",
                "FreeSerif.",
                "FreeSans.",
                "FreeMono.",
                "DejaVuSerif.",
                "opens___",
            )
        ):
            for suit, text in _SUIT_TEXT.items():
                mask = text_mask(font, text)
                if mask is not None:
                    suit_masks[suit].append(mask)
    return Shelf(
        art=art,
        backs=backs,
        rank_masks=rank_masks,
        suit_masks=suit_masks,
        fonts=fonts,
        courts=courts,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnStyle:
    """One drawn deck: its glyphs, colours and measures (heights in fractions of the card)."""

    font: Path
    rank_deck: str | None
    suit_masks: dict[str, Mask]
    width_px: int
    rank_height: float
    suit_height: float
    rank_stretch: float
    suit_stretch: float
    gap: float
    top: float
    middle: float
    four: bool
    beside: bool
    paper: tuple[int, int, int]
    inks: dict[str, tuple[int, int, int]]
    pip_height: float
    radius_px: int
    line: bool


def random_style(shelf: Shelf, rng: np.random.Generator) -> DrawnStyle:
    """A deck nobody printed."""
    width = round(FACE_PX * rng.uniform(0.62, 0.73))
    rank_height = float(
        rng.choice([rng.uniform(0.075, 0.11), rng.uniform(0.1, 0.17)], p=[0.7, 0.3])
    )
    suit_height = rank_height * rng.uniform(0.5, 1.05)
    stretch = rng.uniform(0.6, 1.15)
    red = (int(rng.integers(0, 60)), int(rng.integers(0, 50)), int(rng.integers(150, 255)))
    dark = int(rng.integers(0, 55))
    black = (dark + int(rng.integers(0, 25)), dark + int(rng.integers(0, 8)), dark)
    half = 0.62 * rank_height * stretch * FACE_PX / width / 2
    tone = rng.uniform(225, 255)
    return DrawnStyle(
        font=shelf.fonts[int(rng.integers(len(shelf.fonts)))],
        rank_deck=str(rng.choice(sorted(shelf.rank_masks))) if rng.random() < 0.25 else None,
        suit_masks={
            s: shelf.suit_masks[s][int(rng.integers(len(shelf.suit_masks[s])))] for s in SUITS
        },
        width_px=width,
        rank_height=rank_height,
        suit_height=suit_height,
        rank_stretch=stretch,
        suit_stretch=rng.uniform(0.8, 1.2),
        gap=rng.uniform(0.004, 0.025),
        top=rng.uniform(0.02, 0.06),
        middle=half + rng.uniform(0.025, 0.075),
        four=bool(rng.random() < 0.3),
        beside=bool(rng.random() < 0.04),
        paper=(
            int(min(255, tone * rng.uniform(0.9, 1.02))),
            int(min(255, tone)),
            int(min(255, tone * rng.uniform(0.98, 1.03))),
        ),
        inks={"d": red, "h": red, "c": black, "s": black},
        pip_height=rng.uniform(0.11, 0.17),
        radius_px=int(rng.integers(6, 24)),
        line=bool(rng.random() < 0.4),
    )


def _stamp(
    canvas: NDArray[np.uint8],
    mask: Mask,
    left: float,
    top: float,
    width: float,
    height: float,
    ink: tuple[int, int, int],
    *,
    turned: bool = False,
) -> tuple[float, float, float, float]:
    """Lay ink on the canvas through a mask scaled to the box; return the box."""
    w, h = max(2, round(width)), max(2, round(height))
    scaled = cv2.resize(mask, (w, h), interpolation=cv2.INTER_AREA)
    if turned:
        scaled = scaled[::-1, ::-1]
    x0, y0 = round(left), round(top)
    x1, y1 = min(x0 + w, canvas.shape[1]), min(y0 + h, canvas.shape[0])
    cx, cy = max(x0, 0), max(y0, 0)
    if x1 <= cx or y1 <= cy:
        return (x0, y0, x0 + w, y0 + h)
    share = scaled[cy - y0 : y1 - y0, cx - x0 : x1 - x0, None].astype(np.float32) / 255
    area = canvas[cy:y1, cx:x1, :3]
    area[:] = (area * (1 - share) + np.array(ink, np.float32) * share).astype(np.uint8)
    return (x0, y0, x0 + w, y0 + h)


_PIPS = {
    "2": ((0.5, 0.0), (0.5, 1.0)),
    "3": ((0.5, 0.0), (0.5, 0.5), (0.5, 1.0)),
    "4": ((0, 0), (1, 0), (0, 1), (1, 1)),
    "5": ((0, 0), (1, 0), (0.5, 0.5), (0, 1), (1, 1)),
    "6": ((0, 0), (1, 0), (0, 0.5), (1, 0.5), (0, 1), (1, 1)),
    "7": ((0, 0), (1, 0), (0.5, 0.25), (0, 0.5), (1, 0.5), (0, 1), (1, 1)),
    "8": ((0, 0), (1, 0), (0.5, 0.25), (0, 0.5), (1, 0.5), (0.5, 0.75), (0, 1), (1, 1)),
    "9": ((0, 0), (1, 0), (0, 0.33), (1, 0.33), (0.5, 0.5), (0, 0.67), (1, 0.67), (0, 1), (1, 1)),
    "T": (
        (0, 0), (1, 0), (0.5, 0.17), (0, 0.33), (1, 0.33), (0, 0.67), (1, 0.67), (0.5, 0.83),
        (0, 1), (1, 1),
    ),
}  # fmt: skip


def _paper(style: DrawnStyle) -> NDArray[np.uint8]:
    canvas = np.zeros((FACE_PX, style.width_px, 4), np.uint8)
    canvas[..., :3] = style.paper
    alpha = np.zeros((FACE_PX, style.width_px), np.uint8)
    r, w, h = style.radius_px, style.width_px - 1, FACE_PX - 1
    cv2.rectangle(alpha, (r, 0), (w - r, h), 255, -1)
    cv2.rectangle(alpha, (0, r), (w, h - r), 255, -1)
    for x, y in ((r, r), (w - r, r), (r, h - r), (w - r, h - r)):
        cv2.circle(alpha, (x, y), r, 255, -1, cv2.LINE_AA)
    canvas[..., 3] = alpha
    return canvas


def foreign_sign(rng: np.random.Generator) -> Mask | None:
    """A sign that is none of our suits."""
    return text_mask(
        Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"),
        str(rng.choice(list(_FOREIGN_SUIT_TEXT))),
    )


def joker_mask(style: DrawnStyle, rng: np.random.Generator) -> tuple[Mask, str]:
    """A joker's corner: stacked letters, a turned word, a word, or a star."""
    kind = str(
        rng.choice(
            ["stack", "along", "word", "star", "medal", "letter"],
            p=[0.36, 0.16, 0.1, 0.14, 0.16, 0.08],
        )
    )
    word = str(rng.choice(["JOKER", "Joker", "JOKER", "JOLLY"]))
    if kind == "medal":
        return _joker_medal(rng), "star"
    if kind == "star":
        mask = text_mask(
            Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"),
            str(rng.choice(list("★☆✪✶❂☺✡☻"))),
        )
    elif kind == "letter":
        mask = text_mask(style.font, str(rng.choice(["JK", "JR", "JO", "★J"])))
    elif kind in ("along", "word"):
        mask = text_mask(style.font, word)
        if mask is not None and kind == "along":
            mask = np.ascontiguousarray(np.rot90(mask, k=int(rng.choice([1, 3]))))
    else:
        letters = [m for c in word if (m := text_mask(style.font, c)) is not None]
        if len(letters) < 5:
            return _joker_star()
        width = max(m.shape[1] for m in letters)
        rows = []
        for m in letters:
            pad = width - m.shape[1]
            rows += [np.pad(m, ((4, int(rng.integers(2, 10))), (pad // 2, pad - pad // 2)))]
        mask = np.vstack(rows)
    return (mask, kind) if mask is not None else _joker_star()


def _joker_star() -> tuple[Mask, str]:
    star = np.zeros((96, 96), np.uint8)
    angles = np.arange(10) * np.pi / 5
    radii = np.where(np.arange(10) % 2 == 0, 46, 19)
    points = np.stack([48 + radii * np.sin(angles), 48 - radii * np.cos(angles)], axis=1)
    cv2.fillPoly(star, [points.astype(np.int32)], 255, cv2.LINE_AA)
    return star, "star"


def _joker_medal(rng: np.random.Generator) -> Mask:
    """A star cut out of a disc or standing in a ring, as many decks mark their jokers."""
    medal = np.zeros((96, 96), np.uint8)
    arms = int(rng.choice([5, 5, 5, 4, 6, 8]))
    angles = np.arange(2 * arms) * np.pi / arms
    inner = rng.uniform(0.35, 0.6)
    reach = rng.uniform(24, 36)
    radii = np.where(np.arange(2 * arms) % 2 == 0, reach, inner * reach)
    points = np.stack([48 + radii * np.sin(angles), 48 - radii * np.cos(angles)], axis=1)
    filled = rng.random() < 0.65
    cv2.circle(medal, (48, 48), 45, 255, -1 if filled else int(rng.integers(3, 9)), cv2.LINE_AA)
    if filled and rng.random() < 0.3:
        cv2.circle(medal, (48, 48), 40, 0, int(rng.integers(1, 4)), cv2.LINE_AA)
    cv2.fillPoly(medal, [points.astype(np.int32)], 0 if filled else 255, cv2.LINE_AA)
    return medal


def draw_face(shelf: Shelf, style: DrawnStyle, card: str, rng: np.random.Generator) -> Face:
    """Draw ``card`` in ``style``; now and then with a foreign letter or suit, labelled none."""
    canvas = _paper(style)
    width, height = style.width_px, FACE_PX
    rank, suit = card_classes(card)
    is_joker = len(card) == 1
    ink_of = {
        "B": (int(rng.integers(0, 200)), int(rng.integers(0, 90)), int(rng.integers(140, 255))),
        "b": style.inks["s"],
    }
    ink = ink_of[card] if is_joker else style.inks[card[1]]
    is_foreign = not is_joker and rng.random() < 0.1
    foreign_suit = not is_joker and rng.random() < 0.04
    suit_mask = None if is_joker else style.suit_masks[card[1]]
    if foreign_suit:
        text = foreign_sign(rng)
        if text is not None:
            suit_mask, suit = text, NO_SUIT
            ink = tuple(int(v) for v in rng.integers(0, 200, 3))
        else:
            foreign_suit = False
    # body first, so that indices stay whole
    court = is_joker or card[0] in "JQK"
    pip_h = style.pip_height * height
    if court and shelf.courts and rng.random() < 0.93:
        picture = shelf.courts[int(rng.integers(len(shelf.courts)))]
        inner_w = max(20, round(width - 2 * max(style.middle + 0.06, 0.16) * width))
        inner_h = round(height * rng.uniform(0.76, 0.9))
        x0, y0 = (width - inner_w) // 2, (height - inner_h) // 2
        canvas[y0 : y0 + inner_h, x0 : x0 + inner_w, :3] = cv2.resize(
            picture, (inner_w, inner_h), interpolation=cv2.INTER_AREA
        )
        if style.line:
            colour = tuple(int(v) for v in rng.integers(0, 160, 3))
            cv2.rectangle(
                canvas,
                (x0, y0),
                (x0 + inner_w, y0 + inner_h),
                (*colour, 255),
                int(rng.integers(1, 4)),
                cv2.LINE_AA,
            )
        if suit_mask is not None and rng.random() < 0.7:
            size = 0.8 * pip_h
            _stamp(canvas, suit_mask, x0 + 3, y0 + 4, size, size, ink)
            _stamp(
                canvas,
                suit_mask,
                width - x0 - 3 - size,
                height - y0 - 4 - size,
                size,
                size,
                ink,
                turned=True,
            )
    elif not court and suit_mask is not None:
        if card[0] == "A":
            big = pip_h * rng.uniform(1.0, 3.0)
            _stamp(canvas, suit_mask, width / 2 - big / 2, height / 2 - big / 2, big, big, ink)
        else:
            inset = max(style.middle + 0.13, 0.27)
            for u, v in _PIPS[card[0]]:
                x = width * (inset + u * (1 - 2 * inset))
                y = height * (0.15 + v * 0.7)
                _stamp(
                    canvas,
                    suit_mask,
                    x - pip_h / 2,
                    y - pip_h / 2,
                    pip_h,
                    pip_h,
                    ink,
                    turned=v > 0.5,
                )
    # the index
    drawn: Mask | None
    joker_kind = ""
    if is_joker:
        drawn, joker_kind = joker_mask(style, rng)
    elif is_foreign:
        drawn, rank = text_mask(style.font, foreign_rank(rng)), NO_RANK
        if drawn is not None and drawn_as_ours(style.font, drawn):
            drawn = text_mask(style.font, "B")
    else:
        text = {"T": "10"}.get(card[0], card[0])
        deck_masks = shelf.rank_masks.get(style.rank_deck or "", {})
        drawn = deck_masks.get(card[0])
        if drawn is None:
            drawn = text_mask(style.font, text)
    if drawn is None:
        drawn = _joker_star()[0]
        rank = NO_RANK if not is_joker else rank
    rank_h = style.rank_height * height
    aspect = drawn.shape[1] / drawn.shape[0]
    rank_w = rank_h * aspect * style.rank_stretch
    if not is_joker and card[0] == "T":
        rank_w = min(rank_w, 1.0 * rank_h)
    suit_h = style.suit_height * height
    total_h = rank_h + style.gap * height + suit_h
    top, middle = style.top * height, style.middle * width
    if is_joker and joker_kind in ("stack", "along"):
        rank_h = total_h * rng.uniform(0.8, 2.2)
        rank_w = max(6.0, min(rank_h * aspect, 0.13 * width))
    elif is_joker and joker_kind == "word":
        rank_w, rank_h = 0.34 * width, 0.34 * width / aspect
        middle = max(middle, rank_w / 2 + 4)
    elif is_joker:
        rank_h = rank_w = total_h * rng.uniform(0.3, 0.55)
    left = max(2.0, middle - rank_w / 2)
    indices: list[FaceIndex] = []
    # clear the paper under the corner when a court picture reaches it
    boxes = [_stamp(canvas, drawn, left, top, rank_w, rank_h, ink)]
    if suit_mask is not None:
        suit_w = suit_h * suit_mask.shape[1] / suit_mask.shape[0] * style.suit_stretch
        if style.beside:
            boxes.append(
                _stamp(
                    canvas,
                    suit_mask,
                    boxes[0][2] + 3,
                    top + (rank_h - suit_h) / 2,
                    suit_w,
                    suit_h,
                    ink,
                )
            )
        else:
            boxes.append(
                _stamp(
                    canvas,
                    suit_mask,
                    left + rank_w / 2 - suit_w / 2,
                    top + rank_h + style.gap * height,
                    suit_w,
                    suit_h,
                    ink,
                )
            )
    x0, y0 = min(b[0] for b in boxes), min(b[1] for b in boxes)
    x1, y1 = max(b[2] for b in boxes), max(b[3] for b in boxes)
    if is_joker:
        index_w = 0.55 * total_h
        x0, x1, y0, y1 = middle - index_w / 2, middle + index_w / 2, top, top + total_h
    if style.beside and not is_joker:
        rank = NO_RANK  # another layout than ours: seen, not read
    if rng.random() < 0.012 and not is_joker:
        # half of another rank's ink over this one: a composite that is no card
        partner = strange_partner(card[0], rng)
        other = text_mask(style.font, partner) if partner else None
        if other is not None:
            _stamp(canvas, other, left, top, rank_w, rank_h, ink)
            rank = NO_RANK
    corner = canvas[
        max(0, y0 - 2) if isinstance(y0, int) else max(0, int(y0) - 2) : int(y1) + 2,
        max(0, int(x0) - 2) : int(x1) + 2,
    ].copy()
    first = FaceIndex(box=(x0, y0, x1, y1), turned=False, rank=rank, suit=suit)
    ch, cw = corner.shape[:2]
    canvas[
        height - max(0, int(y0) - 2) - ch : height - max(0, int(y0) - 2),
        width - max(0, int(x0) - 2) - cw : width - max(0, int(x0) - 2),
        :3,
    ] = corner[::-1, ::-1, :3]
    indices += [first, turned_copy(first, width, height)]
    if style.four:
        rx = width - max(0, int(x0) - 2) - cw
        canvas[max(0, int(y0) - 2) : max(0, int(y0) - 2) + ch, rx : rx + cw, :3] = corner[..., :3]
        second = FaceIndex(
            box=(rx + (x0 - max(0, int(x0) - 2)), y0, rx + (x1 - max(0, int(x0) - 2)), y1),
            turned=False,
            rank=rank,
            suit=suit,
        )
        ly = height - max(0, int(y0) - 2) - ch
        canvas[ly : ly + ch, max(0, int(x0) - 2) : max(0, int(x0) - 2) + cw, :3] = corner[
            ::-1, ::-1, :3
        ]
        indices += [second, turned_copy(second, width, height)]
    return make_face(canvas, tuple(indices))


def draw_back(rng: np.random.Generator, textures: list[NDArray[np.uint8]]) -> Face:
    """A back nobody printed: lattice, stripes, dots, rings, a picture, bordered or not."""
    width, height = round(FACE_PX * rng.uniform(0.62, 0.73)), FACE_PX
    base = np.zeros((height, width, 3), np.uint8)
    first = rng.integers(0, 256, 3)
    second = np.array([255, 255, 255]) if rng.random() < 0.5 else rng.integers(0, 256, 3)
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
    step, angle = rng.uniform(5, 40), rng.uniform(0, np.pi)
    u, v = xs * np.cos(angle) + ys * np.sin(angle), -xs * np.sin(angle) + ys * np.cos(angle)
    kind = int(rng.integers(7))
    share = rng.uniform(0.25, 0.6)
    if kind == 0:
        pattern = ((u / step) % 1 < share) | ((v / step) % 1 < share)
    elif kind == 1:
        pattern = (u / step) % 1 < share
    elif kind == 2:
        pattern = ((u / step) % 1 - 0.5) ** 2 + ((v / step) % 1 - 0.5) ** 2 < share**2 / 2
    elif kind == 3:
        pattern = (np.hypot(xs - width / 2, ys - height / 2) / step) % 1 < share
    elif kind == 4:
        pattern = ((np.floor(u / step) + np.floor(v / step)) % 2) > 0
    elif kind == 5:
        pattern = np.sin(xs / step * 2) + np.sin(ys / step * 2) + np.sin(
            np.hypot(xs - width / 2, ys - height / 2) / step
        ) > rng.uniform(-1, 1)
    else:
        pattern = np.zeros((height, width), bool)
    base[:] = first
    base[pattern] = second
    if kind == 6 and textures:
        texture = textures[int(rng.integers(len(textures)))]
        base = cv2.resize(texture, (width, height), interpolation=cv2.INTER_AREA)
    if rng.random() < 0.6:
        edge = int(rng.integers(6, 26))
        tone = int(rng.integers(225, 256))
        frame = np.full((height, width, 3), tone, np.uint8)
        frame[edge:-edge, edge:-edge] = base[edge:-edge, edge:-edge]
        base = frame
    style_alpha = np.zeros((height, width), np.uint8)
    r = int(rng.integers(6, 24))
    cv2.rectangle(style_alpha, (r, 0), (width - 1 - r, height - 1), 255, -1)
    cv2.rectangle(style_alpha, (0, r), (width - 1, height - 1 - r), 255, -1)
    for x, y in ((r, r), (width - 1 - r, r), (r, height - 1 - r), (width - 1 - r, height - 1 - r)):
        cv2.circle(style_alpha, (x, y), r, 255, -1, cv2.LINE_AA)
    return make_face(np.dstack([base, style_alpha]), (), is_back=True)


def random_text(rng: np.random.Generator) -> str:
    """A word of print, for distractors."""
    letters = list(string.ascii_letters + string.digits)
    return "".join(rng.choice(letters, size=int(rng.integers(1, 12))))
