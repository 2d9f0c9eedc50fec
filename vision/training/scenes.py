"""Pictures of tables with cards, their labels, and what a camera does to them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training.faces import (
    NO_RANK,
    RANK_CLASSES,
    RANKS,
    SUITS,
    DrawnStyle,
    Face,
    FaceIndex,
    Shelf,
    draw_back,
    draw_face,
    load_shelf,
    make_face,
    random_style,
    random_text,
    text_mask,
    turned_copy,
)
from vision.training.textures import Picture, load_textures, table_top

SCENE_PX = 320
SCENES_A_SHARD = 500
SEED = 20_240
LIKELY_DECKS = ("own-drawn", "photo-faces", "npm-standard", "npm-letele")
#: Index heights (top of the rank to foot of the suit) that the finder is taught, in pixels.
LOW_PX, HIGH_PX = 7.0, 84.0
POSITIVE, IGNORE = 1, 2
#: To the classifier an index that is covered to this share and more is none. Under it, it keeps
#: its name, also where the finder is not asked for it: what half of it could be as well, the loss
#: itself teaches to leave open.
COVERED = 0.55
#: Rank classes whose index (a star, a word along the edge) looks alike turned: turned ones are
#: not shown as none.
ANY_WAY_UP = (RANK_CLASSES.index("B"), RANK_CLASSES.index("b"))

#: One row per label. kind 0 index, 1 back; cx, cy; ux, uy unit vector up; height_px of the
#: index (a back: of the card); rank, suit classes; state POSITIVE or IGNORE; mx, my the
#: card's middle; card_px its height; share seen.
LABEL_COLUMNS = (
    "kind",
    "cx",
    "cy",
    "ux",
    "uy",
    "height",
    "rank",
    "suit",
    "state",
    "mx",
    "my",
    "card",
    "share",
)
K_INDEX, K_BACK = 0, 1

Labels = NDArray[np.float32]


@dataclass(slots=True, kw_only=True, eq=False)
class Stock:
    """Faces at hand, drawn afresh a few at a time so that no two scenes draw on the same pool."""

    shelf: Shelf
    textures: list[Picture]
    drawn: list[Face]
    backs: list[Face]
    style: DrawnStyle
    left_in_style: int
    art_names: list[str]


def make_stock(shelf: Shelf, textures: list[Picture], rng: np.random.Generator) -> Stock:
    stock = Stock(
        shelf=shelf,
        textures=textures,
        drawn=[],
        backs=list(shelf.backs),
        style=random_style(shelf, rng),
        left_in_style=0,
        # the project's own faces and the photographed ones are the likeliest to be met
        art_names=[*sorted(shelf.art), *(n for n in LIKELY_DECKS * 2 if n in shelf.art)],
    )
    for _ in range(150):
        _refresh(stock, rng)
    for _ in range(20):
        stock.backs.append(draw_back(rng, textures))
    return stock


def _random_card(rng: np.random.Generator) -> str:
    if rng.random() < 0.12:
        return "Bb"[int(rng.integers(2))]
    return RANKS[int(rng.integers(13))] + SUITS[int(rng.integers(4))]


def _refresh(stock: Stock, rng: np.random.Generator) -> None:
    if stock.left_in_style <= 0:
        stock.style = random_style(stock.shelf, rng)
        stock.left_in_style = 10
    stock.left_in_style -= 1
    face = draw_face(stock.shelf, stock.style, _random_card(rng), rng)
    if len(stock.drawn) < 150:
        stock.drawn.append(face)
    else:
        stock.drawn[int(rng.integers(150))] = face
    if rng.random() < 0.05 and len(stock.backs) > 20:
        stock.backs[-1 - int(rng.integers(20))] = draw_back(rng, stock.textures)


def _four_index_copy(face: Face) -> Face | None:
    """An art face with its index copied to the two other corners, where they are plain paper."""
    if len(face.indices) != 2 or face.indices[0].rank > 12:
        return None
    bgra = face.mips[0].copy()
    height, width = bgra.shape[:2]
    left, top, right, bottom = face.indices[0].box
    x0, y0, x1, y1 = max(0, int(left) - 2), max(0, int(top) - 2), int(right) + 2, int(bottom) + 2
    patch = bgra[y0:y1, x0:x1, :3]
    if patch.size == 0 or x1 > 0.3 * width:
        return None
    rx = width - x1
    bgra[y0:y1, rx : rx + patch.shape[1], :3] = patch
    bgra[height - y1 : height - y0, x0:x1, :3] = patch[::-1, ::-1]
    shift = rx - x0
    second = FaceIndex(
        box=(left + shift, top, right + shift, bottom),
        turned=False,
        rank=face.indices[0].rank,
        suit=face.indices[0].suit,
    )
    return make_face(bgra, (*face.indices, second, turned_copy(second, width, height)))


def _pick_face(stock: Stock, deck: str | None, rng: np.random.Generator) -> Face:
    if rng.random() < 0.22:
        return stock.backs[int(rng.integers(len(stock.backs)))]
    if deck is None or rng.random() < 0.15:
        return stock.drawn[int(rng.integers(len(stock.drawn)))]
    faces = stock.shelf.art[deck]
    names = sorted(faces)
    face = faces[names[int(rng.integers(len(names)))]]
    if rng.random() < 0.12:
        return _four_index_copy(face) or face
    return face


def _tilt(size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """The table seen by a camera that leans up to 38 degrees, turned any way."""
    angle = np.radians(rng.uniform(0, 38) * rng.random() ** 0.5)
    turn = rng.uniform(0, 2 * np.pi)
    distance = size * rng.uniform(1.3, 3.5)
    c, s = np.cos(turn), np.sin(turn)
    spin = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    lean = np.array([[1, 0, 0], [0, np.cos(angle), 0], [0, np.sin(angle) / distance, 1]])
    middle = np.array([[1, 0, size / 2], [0, 1, size / 2], [0, 0, 1]])
    return middle @ spin.T @ lean @ spin @ np.linalg.inv(middle)


def _through(homography: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    p = np.c_[points, np.ones(len(points))] @ homography.T
    return p[:, :2] / p[:, 2:3]


def _draw_card(
    image: Picture,
    owner: NDArray[np.int16],
    number: int,
    face: Face,
    homography: NDArray[np.float64],
    rng: np.random.Generator,
) -> None:
    size = image.shape[0]
    width, height = face.size_px
    corners = _through(
        homography, np.array([[0, 0], [width, 0], [width, height], [0, height]], float)
    )
    x0, y0 = np.floor(corners.min(axis=0)).astype(int) - 2
    x1, y1 = np.ceil(corners.max(axis=0)).astype(int) + 3
    x0, y0, x1, y1 = max(x0, 0), max(y0, 0), min(x1, size), min(y1, size)
    if x1 - x0 < 3 or y1 - y0 < 3:
        return
    edge = np.linalg.norm(corners[3] - corners[0]) + np.linalg.norm(corners[2] - corners[1])
    scale = edge / 2 / height
    level = 0
    while scale < 0.62 and level < len(face.mips) - 1:
        scale, level = scale * 2, level + 1
    mip = face.mips[level]
    to_full = np.diag([width / mip.shape[1], height / mip.shape[0], 1.0])
    half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
    move = np.array([[1, 0, -x0 - 0.5], [0, 1, -y0 - 0.5], [0, 0, 1]])
    warped = cv2.warpPerspective(
        mip,
        move @ homography @ to_full @ half,
        (int(x1 - x0), int(y1 - y0)),
        flags=cv2.INTER_LINEAR,
    )
    alpha = warped[..., 3:4].astype(np.float32) / 255
    area = image[y0:y1, x0:x1]
    if rng.random() < 0.6:  # a soft shadow to one side
        spread = max(1.0, edge / 2 * rng.uniform(0.01, 0.06))
        reach = rng.normal(0, spread, 2)
        shade = cv2.warpAffine(
            warped[..., 3],
            np.float32([[1, 0, reach[0]], [0, 1, reach[1]]]),
            (warped.shape[1], warped.shape[0]),
        )
        shade = cv2.GaussianBlur(shade, (0, 0), spread).astype(np.float32) / 255
        area[:] = (area * (1 - rng.uniform(0.1, 0.6) * shade[..., None])).astype(np.uint8)
    light = rng.uniform(0.86, 1.06) * (1 + rng.uniform(-0.05, 0.05, 3))
    area[:] = np.clip(area * (1 - alpha) + warped[..., :3] * (alpha * light), 0, 255).astype(
        np.uint8
    )
    owner[y0:y1, x0:x1][warped[..., 3] > 128] = number


def _print_words(
    image: Picture,
    fonts: list[Path],
    place: tuple[int, int],
    colour: tuple[int, ...],
    rng: np.random.Generator,
) -> None:
    """Print of any size and direction in a real font: packaging, books, score sheets."""
    mask = text_mask(fonts[int(rng.integers(len(fonts)))], random_text(rng), 64)
    if mask is None:
        return
    size = image.shape[0]
    scale = float(np.exp(rng.uniform(np.log(0.12), np.log(1.6))))
    turn = rng.uniform(0, 2 * np.pi)
    c, s = np.cos(turn) * scale, np.sin(turn) * scale
    matrix = np.array([[c, -s, place[0]], [s, c, place[1]]])
    cover = cv2.warpAffine(mask, matrix, (size, size)).astype(np.float32)[..., None] / 255
    image[:] = (image * (1 - cover) + np.array(colour, np.float32) * cover).astype(np.uint8)


def _distractors(
    image: Picture, owner: NDArray[np.int16] | None, stock: Stock, rng: np.random.Generator
) -> None:
    """Print, shapes, coins, skin: things that are no cards. On top, they hide (owner -1)."""
    size = image.shape[0]
    for _ in range(int(rng.integers(1, 4))):
        cover = np.zeros((size, size), np.uint8)
        x, y = (int(v) for v in rng.integers(0, size, 2))
        colour = tuple(int(v) for v in rng.integers(0, 256, 3))
        kind = rng.random()
        if kind < 0.4 and owner is None:
            if rng.random() < 0.5:
                _print_words(image, stock.shelf.fonts, (x, y), colour, rng)
                continue
            for line in range(int(rng.integers(1, 7))):
                scale = rng.uniform(0.3, 1.6)
                cv2.putText(
                    image,
                    random_text(rng),
                    (x - 60, y + int(line * scale * 28)),
                    int(rng.integers(0, 5)),
                    scale,
                    colour,
                    int(rng.integers(1, 4)),
                    cv2.LINE_AA,
                )
            continue
        if kind < 0.6:
            cv2.circle(cover, (x, y), int(rng.integers(5, 60)), 255, -1, cv2.LINE_AA)
        elif kind < 0.75:
            points = cv2.boxPoints(
                (
                    (x, y),
                    (float(rng.integers(10, 160)), float(rng.integers(6, 90))),
                    float(rng.uniform(0, 180)),
                )
            )
            cv2.fillPoly(cover, [points.astype(np.int32)], 255, cv2.LINE_AA)
        else:  # skin: a palm and fingers
            skin = np.array([rng.uniform(70, 190), rng.uniform(90, 205), rng.uniform(120, 240)])
            colour = tuple(int(v) for v in np.sort(skin))
            way = rng.uniform(0, 2 * np.pi)
            thick = int(rng.integers(6, 40))
            for _finger in range(int(rng.integers(1, 6))):
                a = way + rng.normal(0, 0.35)
                end = (
                    int(x + np.cos(a) * thick * rng.uniform(2, 6)),
                    int(y + np.sin(a) * thick * rng.uniform(2, 6)),
                )
                cv2.line(cover, (x, y), end, 255, thick, cv2.LINE_AA)
            cv2.line(
                cover,
                (x, y),
                (int(x - np.cos(way) * 400), int(y - np.sin(way) * 400)),
                255,
                thick * 3,
                cv2.LINE_AA,
            )
        share = cover[..., None].astype(np.float32) / 255
        fill = np.array(colour, np.float32) * (
            1 + 0.15 * rng.normal(size=(size // 16 + 1, size // 16 + 1, 1))
        ).astype(np.float32)
        fill = cv2.resize(np.clip(fill, 0, 255).astype(np.float32), (size, size))
        image[:] = (image * (1 - share) + fill * share).astype(np.uint8)
        if owner is not None:
            owner[cover > 128] = -1


def _index_labels(
    face: Face, number: int, homography: NDArray[np.float64], owner: NDArray[np.int16]
) -> list[list[float]]:
    size = owner.shape[0]
    width, height = face.size_px
    rows = []
    key = _through(
        homography, np.array([[width / 2, height / 2], [width / 2, 0], [width / 2, height]], float)
    )
    middle, card_px = key[0], float(np.linalg.norm(key[2] - key[1]))
    for index in face.indices:
        left, top, right, bottom = index.box
        cx, cy = (left + right) / 2, (top + bottom) / 2
        ends = [[cx, cy], [cx, top], [cx, bottom]]
        p = _through(homography, np.array(ends))
        up = (p[2] - p[1]) if index.turned else (p[1] - p[2])
        high = float(np.linalg.norm(up))
        gx, gy = np.meshgrid(np.linspace(left, right, 5), np.linspace(top, bottom, 8))
        grid = _through(homography, np.c_[gx.ravel(), gy.ravel()])
        gi = np.round(grid).astype(int)
        inside = (gi >= 0).all(axis=1) & (gi < size).all(axis=1)
        seen = np.zeros(len(gi), bool)
        seen[inside] = owner[gi[inside, 1], gi[inside, 0]] == number
        share = float(seen.mean())
        if share < 0.12:
            continue
        state = POSITIVE if share >= 0.8 else IGNORE
        if not LOW_PX <= high <= HIGH_PX:
            state = IGNORE
        rows.append(
            [
                K_INDEX,
                p[0, 0],
                p[0, 1],
                up[0] / high,
                up[1] / high,
                high,
                index.rank,
                index.suit,
                state,
                middle[0],
                middle[1],
                card_px,
                share,
            ]
        )
    if face.is_back:
        gx, gy = np.meshgrid(np.linspace(4, width - 4, 12), np.linspace(4, height - 4, 16))
        gi = np.round(_through(homography, np.c_[gx.ravel(), gy.ravel()])).astype(int)
        inside = (gi >= 0).all(axis=1) & (gi < size).all(axis=1)
        seen = np.zeros(len(gi), bool)
        seen[inside] = owner[gi[inside, 1], gi[inside, 0]] == number
        share = float(seen.mean())
        up = key[1] - key[2]
        state = POSITIVE if share > 0.7 and 26 <= card_px <= 230 else IGNORE
        if share > 0.1:
            rows.append(
                [
                    K_BACK,
                    middle[0],
                    middle[1],
                    up[0] / card_px,
                    up[1] / card_px,
                    card_px,
                    NO_RANK,
                    4,
                    state,
                    middle[0],
                    middle[1],
                    card_px,
                    share,
                ]
            )
    return rows


def camera(image: Picture, sharp_px: float, rng: np.random.Generator) -> Picture:
    """Light, lens and sensor. ``sharp_px``: the index height that has to stay legible."""
    size = image.shape[0]
    picture = image.astype(np.float32)
    # light over the table: a gradient, a shadow, glare
    if rng.random() < 0.7:
        small = rng.uniform(0.6, 1.15, size=(int(rng.integers(2, 5)),) * 2).astype(np.float32)
        picture *= cv2.resize(small, (size, size), interpolation=cv2.INTER_CUBIC)[..., None]
    if rng.random() < 0.2:
        shade = np.zeros((size, size), np.float32)
        points = cv2.boxPoints(
            (
                (float(rng.uniform(0, size)), float(rng.uniform(0, size))),
                (float(rng.uniform(60, 400)), float(rng.uniform(40, 200))),
                float(rng.uniform(0, 180)),
            )
        )
        cv2.fillPoly(shade, [points.astype(np.int32)], 1.0)
        shade = cv2.GaussianBlur(shade, (0, 0), rng.uniform(1, 14))
        picture *= 1 - rng.uniform(0.2, 0.6) * shade[..., None]
    if rng.random() < 0.18:
        ys, xs = np.mgrid[0:size, 0:size].astype(np.float32)
        gx, gy = rng.uniform(0, size, 2)
        spot = np.exp(
            -(((xs - gx) / rng.uniform(10, 90)) ** 2 + ((ys - gy) / rng.uniform(10, 90)) ** 2)
        )
        picture += spot[..., None] * rng.uniform(20, 150)
    # white balance, gain, gamma: warm to cool, dim to bright; red stays red
    warm = rng.normal(0, 0.13)
    picture *= np.array(
        [np.exp(-warm + rng.normal(0, 0.04)), 1.0, np.exp(warm * 0.8 + rng.normal(0, 0.04))],
        np.float32,
    )
    gain = (
        rng.uniform(0.75, 1.15)
        if rng.random() < 0.7
        else np.exp(rng.uniform(np.log(0.2), np.log(1.35)))
    )
    picture *= gain
    picture = 255 * np.clip(picture / 255, 0, 1) ** np.exp(rng.normal(0, 0.2))
    if rng.random() < 0.25:
        grey = picture.mean(axis=2, keepdims=True)
        picture = grey + (picture - grey) * rng.uniform(0.45, 1.4)
    # lens
    blur = abs(rng.normal(0, 0.03)) * sharp_px
    blur = min(blur, 0.055 * sharp_px + 0.25)
    if blur > 0.3:
        picture = cv2.GaussianBlur(picture, (0, 0), blur)
    if rng.random() < 0.2:
        reach = rng.uniform(0.02, 0.13) * sharp_px
        taps = int(np.ceil(reach)) * 2 + 1
        if taps >= 3:
            kernel = np.zeros((taps, taps), np.float32)
            a, mid = rng.uniform(0, np.pi), taps // 2
            cv2.line(
                kernel,
                (round(mid - np.cos(a) * reach / 2), round(mid - np.sin(a) * reach / 2)),
                (round(mid + np.cos(a) * reach / 2), round(mid + np.sin(a) * reach / 2)),
                1.0,
            )
            picture = cv2.filter2D(picture, -1, kernel / max(kernel.sum(), 1e-6))
    if rng.random() < 0.3:
        down = rng.uniform(max(0.4, min(1.0, 11 / sharp_px)), 1.0)
        small = cv2.resize(picture, None, fx=down, fy=down, interpolation=cv2.INTER_AREA)
        picture = cv2.resize(
            small, (size, size), interpolation=int(rng.choice([cv2.INTER_LINEAR, cv2.INTER_CUBIC]))
        )
    if rng.random() < 0.3:
        soft = cv2.GaussianBlur(picture, (0, 0), 1.2)
        picture = picture + (picture - soft) * rng.uniform(0.3, 1.6)
    if rng.random() < 0.7:
        picture = picture + rng.standard_normal(picture.shape, dtype=np.float32) * (
            abs(rng.normal(0, 7))
        )
    out = np.clip(picture, 0, 255).astype(np.uint8)
    if rng.random() < 0.6:
        quality = int(rng.integers(32, 96))
        out = cv2.imdecode(
            cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_COLOR
        )
    return out


def make_scene(
    stock: Stock, rng: np.random.Generator, *, size: int = SCENE_PX
) -> tuple[Picture, Labels]:
    """One picture (``size`` x ``size`` x 3, BGR) and its labels (N x len(LABEL_COLUMNS))."""
    for _ in range(2):
        _refresh(stock, rng)
    image = np.ascontiguousarray(table_top(size, stock.textures, rng))
    if rng.random() < 0.5:
        _distractors(image, None, stock, rng)
    owner = np.zeros((size, size), np.int16)
    camera_h = _tilt(size, rng)
    deck = str(rng.choice(stock.art_names)) if rng.random() < 0.55 else None
    target = np.exp(rng.uniform(np.log(8.5), np.log(78)))
    drawn: list[tuple[int, Face, NDArray[np.float64]]] = []
    count = int(rng.integers(3, 11)) if target < 34 else int(rng.integers(2, 6))
    if target < 14:
        count += int(rng.integers(0, 7))
    if rng.random() < 0.05:
        count = 0
    cluster = rng.uniform(0.15 * size, 0.85 * size, 2)
    fan = rng.random() < 0.2
    turn0 = rng.uniform(0, 2 * np.pi)
    for k in range(count):
        face = _pick_face(stock, deck, rng)
        width, height = face.size_px
        index_h = (
            face.indices[0].box[3] - face.indices[0].box[1]
            if face.indices
            else rng.uniform(0.17, 0.22) * height
        )
        scale = target / index_h * rng.uniform(0.93, 1.07)
        card_px = scale * height
        if fan:
            angle = turn0 + (k - count / 2) * 0.28 + rng.normal(0, 0.04)
            spot = (
                cluster
                + card_px * 0.35 * np.array([np.sin(angle), -np.cos(angle)])
                + k * card_px * 0.05 * np.array([np.cos(turn0), np.sin(turn0)])
            )
        else:
            angle = rng.uniform(0, 2 * np.pi)
            tight = 0.45 * card_px if rng.random() < 0.5 else size
            spot = (
                cluster + rng.normal(0, tight, 2)
                if tight < size
                else rng.uniform(-0.1 * size, 1.1 * size, 2)
            )
        if card_px > 0.8 * size and face.indices:
            # too large to lie in view whole: put one of its indices in view
            index = face.indices[int(rng.integers(len(face.indices)))]
            ix, iy = (
                (index.box[0] + index.box[2]) / 2 - width / 2,
                (index.box[1] + index.box[3]) / 2 - height / 2,
            )
            c, s = np.cos(angle), np.sin(angle)
            spot = rng.uniform(0.15 * size, 0.85 * size, 2) - scale * np.array(
                [c * ix - s * iy, s * ix + c * iy]
            )
        c, s = np.cos(angle) * scale, np.sin(angle) * scale
        place = np.array([[c, -s, spot[0]], [s, c, spot[1]], [0, 0, 1]]) @ np.array(
            [[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 1.0]]
        )
        homography = camera_h @ place
        _draw_card(image, owner, k + 1, face, homography, rng)
        drawn.append((k + 1, face, homography))
    if rng.random() < 0.22:
        _distractors(image, owner, stock, rng)
    rows: list[list[float]] = []
    for number, face, homography in drawn:
        rows += _index_labels(face, number, homography, owner)
    labels = np.array(rows, np.float32).reshape(-1, len(LABEL_COLUMNS))
    smallest = labels[labels[:, 0] == K_INDEX, 5].min(initial=target) if len(labels) else target
    return camera(image, float(max(smallest, 8.0)), rng), labels


CROP_H, CROP_W = 72, 60  # stored; the net sees the middle 56 x 44
INDEX_IN_CROP_PX = 38.0


def crop_matrix(
    cx: float, cy: float, ux: float, uy: float, height: float, *, out_w: int, out_h: int
) -> NDArray[np.float64]:
    """2 x 3 matrix from a picture to an upright crop whose index is 38 px high, in its middle."""
    scale = INDEX_IN_CROP_PX / height
    # up (ux, uy) must become (0, -1)
    cos, sin = -uy * scale, ux * scale
    turn = np.array([[cos, sin], [-sin, cos]])
    shift = np.array([out_w / 2 - 0.5, out_h / 2 - 0.5]) - turn @ np.array([cx, cy])
    return np.c_[turn, shift]


def cut_crop(
    picture: Picture,
    cx: float,
    cy: float,
    ux: float,
    uy: float,
    height: float,
    *,
    out_w: int = CROP_W,
    out_h: int = CROP_H,
) -> Picture:
    """The index at (cx, cy), upright. Large ones are reduced by area first."""
    factor = 1.0
    if height > 2 * INDEX_IN_CROP_PX:
        reach = 2.2 * height
        x0, y0 = max(0, int(cx - reach)), max(0, int(cy - reach))
        x1, y1 = (
            min(picture.shape[1], int(cx + reach) + 1),
            min(picture.shape[0], int(cy + reach) + 1),
        )
        factor = 1.4 * INDEX_IN_CROP_PX / height
        picture = cv2.resize(
            picture[y0:y1, x0:x1], None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA
        )
        cx, cy, height = (cx - x0) * factor, (cy - y0) * factor, height * factor
    matrix = crop_matrix(cx, cy, ux, uy, height, out_w=out_w, out_h=out_h)
    return cv2.warpAffine(
        picture, matrix, (out_w, out_h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )


def scene_crops(
    picture: Picture, labels: Labels, rng: np.random.Generator
) -> tuple[list[Picture], list[tuple[int, int]]]:
    """Classifier crops of one scene: its indices, and things that are none."""
    crops: list[Picture] = []
    classes: list[tuple[int, int]] = []
    indices = labels[labels[:, 0] == K_INDEX]
    for row in indices:
        _, cx, cy, ux, uy, high, rank, suit, state, *_rest, share = row
        if high < 8:
            continue
        if state == POSITIVE:
            crops.append(cut_crop(picture, cx, cy, ux, uy, high))
            classes.append((int(rank), int(suit)))
            turns = int(rank) not in ANY_WAY_UP
            if turns and rng.random() < 0.09:  # upside down: none
                crops.append(cut_crop(picture, cx, cy, -ux, -uy, high))
                classes.append((NO_RANK, 4))
            elif rng.random() < 0.05:  # on its side, or off its place: none
                if turns and rng.random() < 0.5:
                    crops.append(cut_crop(picture, cx, cy, -uy, ux, high))
                else:
                    away = rng.choice([-1, 1]) * rng.uniform(0.6, 0.9) * high
                    crops.append(cut_crop(picture, cx + ux * away, cy + uy * away, ux, uy, high))
                classes.append((NO_RANK, 4))
        elif share > 1 - COVERED:
            crops.append(cut_crop(picture, cx, cy, ux, uy, high))
            classes.append((int(rank), int(suit)))
        elif share > 0.12 and rng.random() < 0.7:
            crops.append(cut_crop(picture, cx, cy, ux, uy, high))
            classes.append((NO_RANK, 4))
    if rng.random() < 0.35:
        size = picture.shape[0]
        for _ in range(1):
            x, y = rng.uniform(8, size - 8, 2)
            if (
                len(indices)
                and np.hypot(indices[:, 1] - x, indices[:, 2] - y).min()
                < 0.75 * indices[:, 5].max()
            ):
                continue
            high = float(np.exp(rng.uniform(np.log(9), np.log(70))))
            if len(indices):
                high = float(indices[int(rng.integers(len(indices))), 5] * rng.uniform(0.6, 1.6))
            a = rng.uniform(0, 2 * np.pi)
            if len(indices) and rng.random() < 0.6:
                pick = indices[int(rng.integers(len(indices)))]
                a = np.arctan2(pick[4], pick[3]) + (np.pi if rng.random() < 0.5 else 0)
            crops.append(
                cut_crop(picture, x, y, float(np.cos(a)), float(np.sin(a)), max(high, 8.0))
            )
            classes.append((NO_RANK, 4))
    return crops, classes


def render_shards(work: Path, numbers: range, *, held_out: bool = False) -> None:
    """Render shards ``scenes_NNN.npz`` (or ``held_NNN.npz``); those already there are kept."""
    cv2.setNumThreads(1)
    shelf, textures = load_shelf(work, held_out=held_out), load_textures(work)
    kind = "held" if held_out else "scenes"
    # a sixth of the table tops is kept for the held-out scenes
    textures = [t for k, t in enumerate(textures) if (k % 6 == 2) == held_out]
    (work / "shards").mkdir(exist_ok=True)
    for number in numbers:
        path = work / "shards" / f"{kind}_{number:03d}.npz"
        if path.exists():
            continue
        seed = SEED + number + (100_000 if held_out else 0)
        stock = make_stock(shelf, textures, np.random.default_rng(seed + 50_000))
        scenes, crops = render_shard(path, stock, seed, scenes=SCENES_A_SHARD)
        print(f"{path.name}: {scenes} scenes, {crops} crops", flush=True)


def render_shard(
    path: Path, stock: Stock, seed: int, *, scenes: int, crops_from: int | None = None
) -> tuple[int, int]:
    """Render ``scenes`` scenes and their crops to ``path`` (.npz); return the two counts."""
    rng = np.random.default_rng(seed)
    pictures, all_labels, starts = [], [], [0]
    crops: list[Picture] = []
    classes: list[tuple[int, int]] = []
    for _ in range(scenes):
        picture, labels = make_scene(stock, rng)
        pictures.append(picture)
        all_labels.append(labels)
        starts.append(starts[-1] + len(labels))
        more, kinds = scene_crops(picture, labels, rng)
        crops += more
        classes += kinds
    partial = path.with_suffix(".part.npz")
    np.savez(
        partial,
        pictures=np.stack(pictures),
        labels=np.concatenate(all_labels),
        starts=np.array(starts),
        crops=np.stack(crops),
        classes=np.array(classes, np.uint8),
    )
    partial.rename(path)
    return len(pictures), len(crops)
