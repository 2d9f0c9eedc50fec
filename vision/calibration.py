"""Where the table is in the picture, and whether the picture is good enough to read cards in.

Found from the printed sheet (:mod:`vision.sheet`) or from four cards laid before the players.
Both give the same thing: the map from millimetres on the table, measured from its middle with x
to the East and y to the South, to the picture. The seats' zones, the checks and the layout the
tracker uses all follow from it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, Union

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.cards import SEAT_NAMES, Card, card_name
from vision.errors import VisionError
from vision.frame import Image
from vision.layout import Layout
from vision.ports import CardReader, Detection
from vision.sheet import (
    COLUMNS,
    HEIGHT_MM,
    MARKER_MM,
    PAPER_MM,
    ROWS,
    SQUARE_MM,
    WIDTH_MM,
    board,
    board_corners_mm,
)

Matrix: TypeAlias = NDArray[np.float64]
Verdict: TypeAlias = Literal["pass", "warn", "fail"]

#: A playing card of the usual (poker) size.
CARD_MM: Final = (63.5, 88.9)
#: Rank and suit of an index together, as a share of the card's length (measured: READING.md's
#: working case, a card of 80 px with an index of 20).
INDEX_MM: Final = CARD_MM[1] / 4
#: The table counts as this wide where nobody says otherwise; only the drawing depends on it.
TABLE_MM: Final = 800.0
#: Cards are played within this distance of the middle.
PLAY_MM: Final = 240.0
#: The paper round the board, with a little more for how it was cut, from the board's middle.
_PAPER: Final = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (
    PAPER_MM[0] / 2 + 5,
    HEIGHT_MM / 2 + 35,
)
#: At least so many of the sheet's 24 inner corners must show.
_LEAST_CORNERS: Final = 8
#: The ranks of the four cards, North first.
FOUR_RANKS: Final = "AKQJ"


#: What fills a hole: a number, words, a card, or a sentence; several of them as a tuple.
Filling: TypeAlias = Union[int, str, "Saying", tuple[int | str, ...]]


@dataclass(frozen=True, slots=True)
class Saying:
    """A sentence for any language: its English with ``{holes}``, and what fills them.

    A hole's name tells what it is: ``seat`` (``seats``) the numbers of places at the table,
    ``card`` (``cards``) cards; anything else stands as it is. ``str`` speaks it in English.
    """

    template: str
    args: Mapping[str, Filling]

    def __str__(self) -> str:
        return re.sub(r"\{(\w+)\}", lambda hole: _word(hole[1], self.args[hole[1]]), self.template)


def saying(template: str, /, **args: Filling) -> Saying:
    """The sentence ``template`` with its holes filled."""
    return Saying(template, args)


def _word(name: str, value: Filling) -> str:
    kind = name.partition("_")[0]
    if isinstance(value, tuple):
        words = [_word(kind.removesuffix("s"), item) for item in value]
        return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
    if kind == "seat" and isinstance(value, int):
        return SEAT_NAMES[value]
    return f"the {card_name(Card(str(value)))}" if kind == "card" else str(value)


class NoTableFound(VisionError, LookupError):
    """Neither a sheet nor four cards that say where the table is; ``said`` for any language."""

    def __init__(self, said: Saying) -> None:
        self.said = said
        super().__init__(str(said))


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at: ``text`` says what was found, ``cure`` what to do."""

    name: str
    verdict: Verdict
    text: Saying
    cure: Saying | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Placed:
    """The table in one picture of ``width_px`` x ``height_px``.

    ``to_picture``: 3x3, from millimetres (x East, y South of the table's middle) to pixels.
    ``found_by``: ``sheet`` or ``cards``. ``error_px``: how far the corners used lie from where
    this map puts them (root mean square); 0 for four cards, which fit exactly. ``marks``: the
    outlines in pixels, (n, 2) each, of what was laid down to be found and will be taken away.
    """

    to_picture: Matrix
    width_px: int
    height_px: int
    found_by: Literal["sheet", "cards"]
    error_px: float = 0.0
    marks: tuple[NDArray[np.float64], ...] = ()


def layout_of(placed: Placed, *, table_mm: float = TABLE_MM) -> Layout:
    """The tracker's layout: (-1, -1) and (1, 1) are the corners of a square table this wide."""
    half = table_mm / 2
    to_mm = np.linalg.inv(placed.to_picture)
    pixels = np.diag([placed.width_px, placed.height_px, 1.0])
    matrix = np.diag([1 / half, 1 / half, 1.0]) @ to_mm @ pixels
    matrix /= matrix[2, 2]
    return Layout(to_table=tuple(float(v) for v in matrix.ravel()))


def find_sheet(image: Image) -> Placed | None:
    """The table from the printed sheet, or None where too little of the sheet shows."""
    grey = _grey(image)
    corners, ids, _, _ = cv2.aruco.CharucoDetector(board()).detectBoard(grey)
    if ids is None or len(ids) < _LEAST_CORNERS:
        return None
    seen = np.asarray(corners, np.float64).reshape(-1, 2)
    # OpenCV counts from the first pixel's middle, we from its edge.
    seen = seen + 0.5
    where = board_corners_mm()[np.asarray(ids).ravel()]
    matrix, _ = cv2.findHomography(where, seen, 0)
    if matrix is None or not _faces_us(matrix):
        return None
    back = cv2.perspectiveTransform(where.reshape(-1, 1, 2), matrix).reshape(-1, 2)
    error = float(np.sqrt(np.mean(np.sum((back - seen) ** 2, axis=1))))
    height, width = image.shape[:2]
    return Placed(
        to_picture=np.asarray(matrix, np.float64),
        width_px=width,
        height_px=height,
        found_by="sheet",
        error_px=error,
        marks=(cv2.perspectiveTransform(_PAPER.reshape(-1, 1, 2), matrix).reshape(-1, 2),),
    )


def find_cards(image: Image, reader: CardReader) -> Placed:
    """The table from an ace before North, a king before East, a queen before South, a jack
    before West, all of one suit and equally far from the middle.

    Raises :class:`NoTableFound` saying which card is missing or in the wrong place.
    """
    named = {d.card: d for d in reader.read(image) if d.kind == "card" and d.card is not None}
    suits = [s for s in "shdc" if all(Card(rank + s) in named for rank in FOUR_RANKS)]
    if len(suits) != 1:
        raise NoTableFound(_four_wanted(sorted(named)))
    four = [named[Card(rank + suits[0])] for rank in FOUR_RANKS]
    centres = np.array([_centre(d) for d in four], np.float32)
    unit = np.array([(0, -1), (1, 0), (0, 1), (-1, 0)], np.float32)
    if not cv2.isContourConvex(centres.reshape(-1, 1, 2)):
        raise NoTableFound(
            saying(
                "the four cards do not lie round the middle in the players' order: {order}",
                order=_order(suits[0]),
            )
        )
    matrix = np.asarray(cv2.getPerspectiveTransform(unit, centres), np.float64)
    if not _faces_us(matrix):
        raise NoTableFound(
            saying(
                "the four cards run round the table the wrong way: {order}",
                order=_order(suits[0]),
            )
        )
    # How far out they lie nobody measured; their own length says it.
    lengths = [_length_in(d, np.linalg.inv(matrix)) for d in four]
    scale = CARD_MM[1] / float(np.median(lengths))
    height, width = image.shape[:2]
    return Placed(
        to_picture=matrix @ np.diag([1 / scale, 1 / scale, 1.0]),
        width_px=width,
        height_px=height,
        found_by="cards",
        marks=tuple(_outline(d) for d in four),
    )


def place_table(image: Image, reader: CardReader | None) -> Placed:
    """The sheet where there is one, else the four cards; NoTableFound says what was missing."""
    by_sheet = find_sheet(image)
    if by_sheet is not None:
        return by_sheet
    if reader is None:
        raise NoTableFound(
            saying(
                "the printed sheet was not found: lay it flat in the middle of the table, wholly "
                "in the picture and not under a lamp's reflection"
            )
        )
    return find_cards(image, reader)


# --- checks ------------------------------------------------------------------------------------


def checks(image: Image, placed: Placed) -> tuple[Check, ...]:
    """Everything that decides whether cards can be read here, worst surprises first."""
    found = [
        _size_check(placed),
        _view_check(placed),
        _tilt_check(placed),
    ]
    if placed.found_by == "sheet":
        found += [_bend_check(placed), _focus_check(image, placed), *_light_checks(image, placed)]
    return tuple(found)


def pixels_per_mm(placed: Placed) -> float:
    """In the table's middle, the mean over directions."""
    return float(np.mean(_stretch(placed)))


def index_px(placed: Placed) -> float:
    """How high an index (rank and suit) appears in the table's middle, along the worse way."""
    return INDEX_MM * float(min(_stretch(placed)))


def _size_check(placed: Placed) -> Check:
    index, high = index_px(placed), CARD_MM[1] * pixels_per_mm(placed)
    cure = saying(
        "hang the camera lower, choose a longer lens, or set a larger picture "
        "(width_px and height_px in the settings)"
    )
    if index < 12:
        text = saying(
            "an index is about {high} px high, a card {long} px long: too small to read",
            high=round(index),
            long=round(high),
        )
        return Check(name="size", verdict="fail", text=text, cure=cure)
    if index < 18:
        text = saying(
            "an index is about {high} px high, a card {long} px long: 20 px are wanted",
            high=round(index),
            long=round(high),
        )
        return Check(name="size", verdict="warn", text=text, cure=cure)
    text = saying(
        "an index is about {high} px high, a card {long} px long",
        high=round(index),
        long=round(high),
    )
    return Check(name="size", verdict="pass", text=text)


def _view_check(placed: Placed) -> Check:
    ring = np.array(
        [
            (PLAY_MM * math.cos(turn), PLAY_MM * math.sin(turn))
            for turn in np.linspace(0, 2 * math.pi, 72, endpoint=False)
        ]
    )
    points = cv2.perspectiveTransform(ring.reshape(-1, 1, 2), placed.to_picture).reshape(-1, 2)
    inside = (
        (points[:, 0] >= 0)
        & (points[:, 0] <= placed.width_px)
        & (points[:, 1] >= 0)
        & (points[:, 1] <= placed.height_px)
    )
    share = float(inside.mean())
    reach = round(2 * PLAY_MM / 10)
    if share == 1.0:
        text = saying("{reach} cm round the middle lie in the picture", reach=reach)
        return Check(name="view", verdict="pass", text=text)
    text = saying(
        "of {reach} cm round the middle, {share}% lie in the picture; cut off at {seats}",
        reach=reach,
        share=round(100 * share),
        seats=tuple(sorted({_seat_towards(point) for point in ring[~inside]})),
    )
    cure = saying("move the camera over the table's middle, or hang it higher")
    return Check(name="view", verdict="fail" if share < 0.6 else "warn", text=text, cure=cure)


def _tilt_check(placed: Placed) -> Check:
    small, large = _stretch(placed)
    tilt = math.degrees(math.acos(min(1.0, small / large)))
    text = saying("the camera leans by about {angle} degrees", angle=round(tilt))
    cure = saying("bring the camera more over the table's middle")
    if tilt > 45:
        return Check(name="tilt", verdict="fail", text=text, cure=cure)
    if tilt > 35:
        return Check(name="tilt", verdict="warn", text=text, cure=cure)
    return Check(name="tilt", verdict="pass", text=text)


def _bend_check(placed: Placed) -> Check:
    share = placed.error_px / (HEIGHT_MM * pixels_per_mm(placed))
    text = saying(
        "the sheet's corners lie {error} px from a flat sheet's", error=f"{placed.error_px:.1f}"
    )
    if share > 0.012:
        cure = saying(
            "lay the sheet flat; if it is, the lens bends the picture: use one of less angle"
        )
        return Check(name="flat", verdict="warn", text=text, cure=cure)
    return Check(name="flat", verdict="pass", text=text)


def _focus_check(image: Image, placed: Placed) -> Check:
    rise = edge_rise_px(image, placed)
    if rise is None:
        return Check(
            name="focus",
            verdict="warn",
            text=saying("the sheet's edges could not be measured"),
            cure=saying("lay the sheet where no shadow or reflection crosses it"),
        )
    high, wide = index_px(placed), f"{rise:.1f}"
    cure = saying("focus the camera on the table (turn the lens, or let upcard calibrate set it)")
    # An index is drawn in strokes of about an eighth of its height.
    if rise > max(3.5, 0.25 * high):
        text = saying("an edge is {wide} px wide: blurred", wide=wide)
        return Check(name="focus", verdict="fail", text=text, cure=cure)
    if rise > max(2.4, 0.12 * high):
        text = saying("an edge is {wide} px wide: soft", wide=wide)
        return Check(name="focus", verdict="warn", text=text, cure=cure)
    text = saying("an edge is {wide} px wide: sharp", wide=wide)
    return Check(name="focus", verdict="pass", text=text)


def _light_checks(image: Image, placed: Placed) -> tuple[Check, ...]:
    white, black = _sheet_levels(image, placed)
    if white is None or black is None:
        return ()
    level = float(np.median(white.mean(axis=1)))
    dark = float(np.median(black.mean(axis=1)))
    by_square = white.mean(axis=1)
    spread = float(by_square.max() / max(1.0, by_square.min()))
    even = (
        Check(
            name="even",
            verdict="warn",
            text=saying("one side is {spread} times as bright as another", spread=f"{spread:.1f}"),
            cure=saying("move the lamp, or lay a cloth where it is mirrored"),
        )
        if spread > 1.8 or float(by_square.max()) > 253 > level
        else Check(name="even", verdict="pass", text=saying("the light is even"))
    )
    blue, _, red = np.median(white, axis=0)
    return _exposure_check(level, dark), even, _colour_check(float(red / max(1.0, blue)))


def _exposure_check(level: float, dark: float) -> Check:
    white, black = round(level), round(dark)
    lamp = saying("put a lamp on")
    if level > 250:
        return Check(
            name="exposure",
            verdict="fail",
            text=saying(
                "white paper is {white} of 255, black ink {black}: burnt out",
                white=white,
                black=black,
            ),
            cure=saying("less light, or a shorter exposure"),
        )
    if level < 60 or level - dark < 40:
        text = saying(
            "white paper is {white} of 255, black ink {black}: too dark", white=white, black=black
        )
        return Check(name="exposure", verdict="fail", text=text, cure=lamp)
    if level < 100:
        text = saying(
            "white paper is {white} of 255, black ink {black}: rather dark",
            white=white,
            black=black,
        )
        return Check(name="exposure", verdict="warn", text=text, cure=lamp)
    text = saying("white paper is {white} of 255, black ink {black}", white=white, black=black)
    return Check(name="exposure", verdict="pass", text=text)


def _colour_check(cast: float) -> Check:
    if 0.5 <= cast <= 2.0:
        return Check(name="colour", verdict="pass", text=saying("white paper is white enough"))
    return Check(
        name="colour",
        verdict="warn",
        text=saying(
            "white paper looks red ({cast} times)"
            if cast > 1
            else "white paper looks blue ({cast} times)",
            cast=f"{cast:.1f}",
        ),
        cure=saying("let upcard calibrate set the white balance, or take another lamp"),
    )


def edge_rise_px(image: Image, placed: Placed) -> float | None:
    """How many pixels an edge of the sheet takes from 10% to 90%, the median over its squares.

    Measured where black squares meet white ones, halfway between the corners, along the normal.
    A perfect lens gives about 1; None where fewer than four edges could be measured.
    """
    grey = _grey(image).astype(np.float32)
    widths: list[float] = []
    for middle_mm, normal_mm in _edges_mm():
        ends = np.array([middle_mm - normal_mm, middle_mm + normal_mm])
        line = cv2.perspectiveTransform(ends.reshape(-1, 1, 2), placed.to_picture).reshape(-1, 2)
        length = float(np.linalg.norm(line[1] - line[0]))
        if length < 4:
            continue
        steps = np.linspace(0, 1, max(16, round(length * 4)))
        path = (line[0] + steps[:, None] * (line[1] - line[0]) - 0.5).astype(np.float32)
        if (path < 0).any() or (path >= np.array(grey.shape[::-1]) - 1).any():
            continue
        profile = cv2.remap(
            grey, path[None, :, 0], path[None, :, 1], interpolation=cv2.INTER_LINEAR
        ).ravel()
        width = _rise(np.asarray(profile, np.float32), length)
        if width is not None:
            widths.append(width)
    return float(np.median(widths)) if len(widths) >= 4 else None


def _rise(profile: NDArray[np.float32], length_px: float) -> float | None:
    low, high = float(np.percentile(profile, 5)), float(np.percentile(profile, 95))
    if high - low < 25:
        return None
    if profile[0] > profile[-1]:
        profile = profile[::-1]
    share = (profile - low) / (high - low)
    above = np.nonzero(share >= 0.9)[0]
    if not len(above):
        return None
    below = np.nonzero(share[: above[0]] <= 0.1)[0]
    if not len(below):
        return None
    return float(above[0] - below[-1]) * length_px / (len(profile) - 1)


def _edges_mm() -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """The middle of edges between a black square and the white rim of its neighbour, with half
    the way across, all in millimetres from the board's middle."""
    edges = []
    half = np.array([WIDTH_MM / 2, HEIGHT_MM / 2])
    # Up to a marker's edge, and no further.
    rim = (SQUARE_MM - MARKER_MM) / 2 - 0.5
    for row in range(1, ROWS):
        for column in range(COLUMNS):
            middle = np.array([column + 0.5, row]) * SQUARE_MM - half
            edges.append((middle, np.array([0.0, rim])))
    for row in range(ROWS):
        for column in range(1, COLUMNS):
            middle = np.array([column, row + 0.5]) * SQUARE_MM - half
            edges.append((middle, np.array([rim, 0.0])))
    return edges


def _sheet_levels(
    image: Image, placed: Placed
) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None]:
    """Mean colours of white rims and of black squares, (n, 3) each."""
    height, width = image.shape[:2]
    white: list[NDArray[np.float64]] = []
    black: list[NDArray[np.float64]] = []
    rim = (SQUARE_MM - MARKER_MM) / 4
    for row in range(ROWS):
        for column in range(COLUMNS):
            x_mm = column * SQUARE_MM - WIDTH_MM / 2
            y_mm = (row + 0.5) * SQUARE_MM - HEIGHT_MM / 2
            is_black = (row + column) % 2 == 0
            across = (SQUARE_MM / 2,) if is_black else (rim, SQUARE_MM - rim)
            spots = [(x_mm + x, y_mm) for x in across]
            for spot in spots:
                at = cv2.perspectiveTransform(np.array([[spot]]), placed.to_picture).ravel()
                x, y = int(at[0]), int(at[1])
                if 1 <= x < width - 1 and 1 <= y < height - 1:
                    patch = image[y - 1 : y + 2, x - 1 : x + 2].reshape(-1, 3)
                    (black if is_black else white).append(patch.mean(axis=0))
    if len(white) < 4 or len(black) < 4:
        return None, None
    return np.array(white), np.array(black)


# --- drawing -----------------------------------------------------------------------------------

_ZONE_COLOURS: Final = ((230, 160, 60), (70, 190, 250), (120, 210, 90), (200, 110, 220))


def drawn(image: Image, placed: Placed, *, border_deg: float = 10.0) -> Image:
    """The picture with the seats' zones, the kitty and a card's outline laid over it."""
    canvas = image.copy()
    tint = image.copy()
    radius = PLAY_MM
    for seat, turn in enumerate((-90.0, 0.0, 90.0, 180.0)):
        spread = 45.0 - border_deg
        arc = [
            (radius * math.cos(math.radians(a)), radius * math.sin(math.radians(a)))
            for a in np.linspace(turn - spread, turn + spread, 24)
        ]
        cv2.fillPoly(tint, [_pixels(placed, [(0.0, 0.0), *arc])], _ZONE_COLOURS[seat])
    cv2.addWeighted(tint, 0.32, canvas, 0.68, 0, dst=canvas)
    thick = max(1, round(placed.width_px / 640))
    kitty = 0.5 * CARD_MM[1]
    circle = [(kitty * math.cos(a), kitty * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 48)]
    cv2.polylines(canvas, [_pixels(placed, circle)], True, (255, 255, 255), thick, cv2.LINE_AA)
    half_x, half_y = CARD_MM[0] / 2, CARD_MM[1] / 2
    for seat, (x, y) in enumerate(((0, -1), (1, 0), (0, 1), (-1, 0))):
        cx, cy = x * radius * 0.62, y * radius * 0.62
        w, h = (half_x, half_y) if seat % 2 == 0 else (half_y, half_x)
        box = [(cx - w, cy - h), (cx + w, cy - h), (cx + w, cy + h), (cx - w, cy + h)]
        cv2.polylines(canvas, [_pixels(placed, box)], True, _ZONE_COLOURS[seat], thick, cv2.LINE_AA)
        _label(canvas, SEAT_NAMES[seat], _pixels(placed, [(cx, cy)])[0], placed.width_px / 1280)
    return canvas


def _label(canvas: Image, text: str, at: NDArray[np.int32], scale: float) -> None:
    size = max(0.5, 0.9 * scale)
    (wide, high), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, 2)
    height, width = canvas.shape[:2]
    x = int(np.clip(at[0] - wide // 2, 2, max(2, width - wide - 2)))
    y = int(np.clip(at[1] + high // 2, high + 2, max(high + 2, height - 4)))
    for colour, thick in (((0, 0, 0), 5), ((255, 255, 255), 2)):
        cv2.putText(
            canvas, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, size, colour, thick, cv2.LINE_AA
        )


def _pixels(placed: Placed, points_mm: Sequence[tuple[float, float]]) -> NDArray[np.int32]:
    points = np.array(points_mm, np.float64).reshape(-1, 1, 2)
    flat = cv2.perspectiveTransform(points, placed.to_picture).reshape(-1, 2)
    return np.round(np.clip(flat, -1e5, 1e5)).astype(np.int32)


# --- geometry ----------------------------------------------------------------------------------


def _stretch(placed: Placed) -> tuple[float, float]:
    """Pixels per millimetre in the table's middle, along the worse and the better direction."""
    matrix = placed.to_picture
    x, y, w = matrix @ np.array([0.0, 0.0, 1.0])
    jacobian = (
        np.array(
            [
                [matrix[0, 0] * w - x * matrix[2, 0], matrix[0, 1] * w - x * matrix[2, 1]],
                [matrix[1, 0] * w - y * matrix[2, 0], matrix[1, 1] * w - y * matrix[2, 1]],
            ]
        )
        / w**2
    )
    large, small = np.linalg.svd(jacobian, compute_uv=False)
    return float(small), float(large)


def _faces_us(matrix: Matrix) -> bool:
    """Whether the map keeps the way round: a table is never seen from below."""
    x, y, w = matrix @ np.array([0.0, 0.0, 1.0])
    if abs(w) < 1e-9:
        return False
    a = np.array([matrix[0, 0] * w - x * matrix[2, 0], matrix[0, 1] * w - x * matrix[2, 1]])
    b = np.array([matrix[1, 0] * w - y * matrix[2, 0], matrix[1, 1] * w - y * matrix[2, 1]])
    return bool(a[0] * b[1] - a[1] * b[0] > 0)


def _centre(detection: Detection) -> tuple[float, float]:
    if detection.quad is not None:
        corners = np.array(detection.quad)
        x, y = corners.mean(axis=0)
        return float(x), float(y)
    x0, y0, x1, y1 = detection.box
    return (x0 + x1) / 2, (y0 + y1) / 2


def _outline(detection: Detection) -> NDArray[np.float64]:
    """The card's box grown by a fifth: its shadow goes with it."""
    x0, y0, x1, y1 = detection.box
    grow = 0.2 * max(x1 - x0, y1 - y0)
    x0, y0, x1, y1 = x0 - grow, y0 - grow, x1 + grow, y1 + grow
    return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])


def _length_in(detection: Detection, to_table: Matrix) -> float:
    """A card's long side in the table's own unit."""
    if detection.quad is not None:
        points = np.array(detection.quad, np.float64)
        flat = cv2.perspectiveTransform(points.reshape(-1, 1, 2), to_table).reshape(-1, 2)
        sides = [float(np.linalg.norm(flat[i] - flat[(i + 1) % 4])) for i in range(4)]
        return max((sides[0] + sides[2]) / 2, (sides[1] + sides[3]) / 2)
    x0, y0, x1, y1 = detection.box
    points = np.array([(x0, y0), (x1, y1)], np.float64)
    flat = cv2.perspectiveTransform(points.reshape(-1, 1, 2), to_table).reshape(-1, 2)
    # A box round an upright card: its diagonal belongs to the card's.
    return float(np.linalg.norm(flat[1] - flat[0])) * CARD_MM[1] / math.hypot(*CARD_MM)


def _seat_towards(point: NDArray[np.float64]) -> int:
    x, y = float(point[0]), float(point[1])
    if abs(x) >= abs(y):
        return 1 if x > 0 else 3
    return 2 if y > 0 else 0


def _order(suit: str) -> Saying:
    ace, king, queen, jack = (Card(rank + suit) for rank in FOUR_RANKS)
    return saying(
        "{card_ace} before {seat_north}, {card_king} before {seat_east}, "
        "{card_queen} before {seat_south}, {card_jack} before {seat_west}",
        card_ace=ace,
        card_king=king,
        card_queen=queen,
        card_jack=jack,
        seat_north=0,
        seat_east=1,
        seat_south=2,
        seat_west=3,
    )


def _four_wanted(named: Sequence[Card]) -> Saying:
    if not named:
        return saying(
            "neither the printed sheet nor the four cards were found (no card was read): lay the "
            "sheet in the middle, or {order}, equally far from the middle, and nothing else of "
            "ace to jack",
            order=_order("s"),
        )
    return saying(
        "neither the printed sheet nor the four cards were found (read: {cards}): lay the sheet "
        "in the middle, or {order}, equally far from the middle, and nothing else of ace to jack",
        cards=tuple(named),
        order=_order("s"),
    )


def _grey(image: Image) -> NDArray[np.uint8]:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
