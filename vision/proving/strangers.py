"""What must never be named: letters that are no rank of ours, and tables without any card."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from vision.frame import Image
from vision.measure import middle_in
from vision.proving.decks import Stock, load_stock
from vision.proving.ledger import Row, Step, run_steps
from vision.proving.sheet import bound
from vision.proving.study import Bench
from vision.proving.tables import (
    Light,
    Placed,
    Seen,
    ground,
    index_share,
    photograph_of,
    photographed,
)
from vision.reader import Reader
from vision.training.faces import (
    NO_RANK,
    NO_SUIT,
    SUITS,
    Face,
    Shelf,
    draw_face,
    drawn_as_ours,
    random_style,
    random_text,
    text_mask,
)
from vision.training.letters import COURTS, HELD_OUT_LETTERS, OTHERS

FRAME_PX = (1280, 720)
TABLES_A_STEP = 10
#: German, Dutch, French and Russian courts.
COURT_LETTERS = ("B", "D", "V", "R", "В", "Д", "Т")


def letter_group(letter: str) -> str:
    """The row of the table a letter is counted in."""
    if letter in COURT_LETTERS:
        return f"letter {letter}"
    kept = letter in HELD_OUT_LETTERS
    return "letters never trained" if kept else "other letters, trained as none"


def foreign_faces(shelf: Shelf, rng: np.random.Generator, count: int) -> dict[str, Face]:
    """``count`` drawn faces of one style, each named ``?LETTER SUIT``; fonts lacking one pass."""
    style = replace(random_style(shelf, rng), beside=False, rank_deck="foreign")
    faces: dict[str, Face] = {}
    others = sorted({*COURTS, *OTHERS} - set(COURT_LETTERS))
    for _ in range(4 * count):
        if len(faces) >= count:
            break
        kind = rng.random()
        pool = COURT_LETTERS if kind < 0.5 else others if kind < 0.75 else HELD_OUT_LETTERS
        letter = str(pool[int(rng.integers(len(pool)))])
        mask = text_mask(style.font, letter)
        if mask is None or drawn_as_ours(style.font, mask):
            continue
        lettered = replace(shelf, rank_masks={"foreign": {"K": mask}})
        suit = SUITS[int(rng.integers(4))]
        face = draw_face(lettered, style, "K" + suit, rng)
        index = face.indices[0]
        if index.rank != NO_RANK and index.suit != NO_SUIT:  # neither replaced by draw_face
            faces[f"?{letter} {suit}"] = face
    return faces


def printed_foreign(stock: Stock) -> dict[str, list[tuple[str, Face]]]:
    """By deck: the faces of printed art whose court letters are not ours."""
    decks: dict[str, list[tuple[str, Face]]] = {}
    for name, faces in stock.shelf.art.items():
        some = [
            (f"?{name} {card}", face)
            for card, face in faces.items()
            if face.indices[0].rank == NO_RANK and face.indices[0].suit != NO_SUIT
        ]
        if some:
            decks[name] = some
    return decks


def _foreign_row(
    reader: Reader,
    stock: Stock,
    printed: dict[str, list[tuple[str, Face]]],
    seed: int,
    step: int,
    out: Path,
) -> Row:
    counts: dict[str, dict[str, int]] = {}
    named: list[str] = []
    for k in range(step * TABLES_A_STEP, (step + 1) * TABLES_A_STEP):
        rng = np.random.default_rng((seed, 7, k))
        size_px = float(np.exp(rng.uniform(np.log(16), np.log(45))))
        if printed and rng.random() < 0.3:
            deck = sorted(printed)[int(rng.integers(len(printed)))]
            some = [printed[deck][j] for j in rng.permutation(len(printed[deck]))[:12]]
        else:
            some = list(foreign_faces(stock.shelf, rng, 12).items())
        if not some:
            continue
        card_px = size_px / float(np.median([index_share(f) for _, f in some]))
        columns = max(1, int(FRAME_PX[0] // (1.28 * card_px)))
        rows = max(1, int(FRAME_PX[1] // (1.28 * card_px)))
        cards = [
            Placed(
                name=name,
                face=face,
                x=(j % columns + 0.5) * FRAME_PX[0] / columns,
                y=(j // columns + 0.5) * FRAME_PX[1] / rows,
                card_px=card_px,
                turn=float(rng.uniform(0, 2 * math.pi)),
            )
            for j, (name, face) in enumerate(some[: columns * rows])
        ]
        image, seen = photograph_of(
            cards,
            table=ground(*FRAME_PX, stock.textures, rng),
            lean_degrees=float(rng.uniform(0, 30)),
            light=_light(rng),
            rng=rng,
        )
        detections = reader.read(image)
        for one in seen:
            group = _group_of(one)
            into = counts.setdefault(
                group, {"indices": 0, "cards": 0, "named": 0, "guessed": 0, "foreign": 0}
            )
            into["indices"] += one.whole
            into["cards"] += 1
            there = [d for d in detections if middle_in(d.box, one.box)]
            into["named"] += any(d.kind == "card" for d in there)
            into["guessed"] += any(d.kind == "unsure" and d.card is not None for d in there)
            into["foreign"] += any(d.why == "foreign" for d in there)
        hits = [d for d in detections if d.kind == "card"]
        for d in hits:
            owner = next((s.name for s in seen if middle_in(d.box, s.box)), "nothing")
            named.append(f"table {k}: {owner} named {d.card} at {d.confidence:.3f}")
        if hits:
            _keep(out / f"foreign_{k:05d}.jpg", image, reader)
    return {"counts": counts, "named": named}


def _group_of(one: Seen) -> str:
    name = (one.name or "?").removeprefix("?")
    first = name.split(" ")[0]
    if "-" in first:
        return f"deck {first}"
    return letter_group(first)


def _light(rng: np.random.Generator) -> Light:
    return Light(
        gain=float(rng.uniform(0.5, 1.05)),
        kelvin=float(rng.uniform(3000, 6500)),
        blur=float(rng.uniform(0, 0.05)),
        noise=float(rng.uniform(1, 5)),
        jpeg=int(rng.integers(60, 96)),
    )


def _keep(path: Path, image: Image, reader: Reader) -> None:
    from vision.explain import explained_reading

    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), explained_reading(image, reader), [1, 85])


def foreign(bench: Bench, *, indices: int) -> None:
    """Some ``indices`` indices whose letter is no rank of ours: how many cards were named."""
    stock = load_stock(bench.work, half=bench.half)
    # printed decks with foreign courts lie among the training art, as "none": counted apart
    printed = printed_foreign(load_stock(bench.work, held_out=False)) | printed_foreign(stock)
    stamp = bench.stamp("foreign", seed=bench.seed, decks=sorted(printed))
    wanted = max(1, math.ceil(indices / (20 * TABLES_A_STEP)))

    def steps() -> Iterator[Step]:
        for step in range(wanted):
            yield (
                f"tables {step}",
                partial(
                    _foreign_row,
                    bench.reader,
                    stock,
                    printed,
                    bench.seed,
                    step,
                    bench.out / "strangers",
                ),
            )

    total: dict[str, dict[str, int]] = {}
    named: list[str] = []
    for name, row in run_steps(bench.out / "foreign.jsonl", stamp, steps()):
        for group, counts in row["counts"].items():
            into = total.setdefault(group, dict.fromkeys(counts, 0))
            for what, n in counts.items():
                into[what] += n
        named += row["named"]
        print(f"  {name} of {wanted}: {len(named)} named", flush=True)
    every = {k: sum(t[k] for t in total.values()) for k in next(iter(total.values()), {})}
    rows = [{"what": g, **total[g]} for g in sorted(total)]
    rows.append({"what": "all", **every, "named, 95%": bound(len(named), every.get("indices", 0))})
    bench.tell(
        "foreign",
        rows,
        title=(
            "Foreign letters: cards named (must be 0), guessed as unsure, called foreign. "
            "Letters are drawn in held-out fonts; printed decks were in training, as none"
        ),
        more={"named": named},
    )


# --- tables without a card -------------------------------------------------------------------


def _blend(image: Image, cover: np.ndarray, colour: Sequence[float]) -> None:
    share = cover.astype(np.float32)[..., None] / 255
    image[:] = (image * (1 - share) + np.array(colour, np.float32) * share).astype(np.uint8)


def _stamp_turned(
    image: Image,
    patch: np.ndarray,
    alpha: np.ndarray,
    x: float,
    y: float,
    *,
    scale: float,
    turn: float,
) -> None:
    """Lay a patch (BGR) with its alpha, its middle at (x, y)."""
    high, wide = alpha.shape
    c, s = math.cos(turn) * scale, math.sin(turn) * scale
    matrix = np.array(
        [[c, -s, x - (c * wide - s * high) / 2], [s, c, y - (s * wide + c * high) / 2]]
    )
    size = (image.shape[1], image.shape[0])
    laid = cv2.warpAffine(patch, matrix, size, flags=cv2.INTER_AREA)
    share = cv2.warpAffine(alpha, matrix, size, flags=cv2.INTER_AREA)[..., None] / np.float32(255)
    image[:] = (image * (1 - share) + laid * share).astype(np.uint8)


def _place(rng: np.random.Generator) -> tuple[float, float, float]:
    return (
        float(rng.uniform(0, FRAME_PX[0])),
        float(rng.uniform(0, FRAME_PX[1])),
        float(rng.uniform(0, 2 * math.pi)),
    )


def _text_patch(
    lines: Sequence[str], font: Path, ink: Sequence[int], paper: Sequence[int], pad: int = 18
) -> np.ndarray | None:
    """Lines of print on paper, 48 px high letters."""
    masks = [text_mask(font, line, 48) for line in lines if line]
    drawn = [m for m in masks if m is not None]
    if not drawn:
        return None
    wide = max(m.shape[1] for m in drawn) + 2 * pad
    patch = np.full((64 * len(drawn) + 2 * pad, wide, 3), paper, np.uint8)
    for k, mask in enumerate(drawn):
        y = pad + 64 * k
        area = patch[y : y + min(mask.shape[0], 64), pad : pad + mask.shape[1]]
        _blend(area, mask[: area.shape[0]], ink)
    return patch


def _print(image: Image, stock: Stock, rng: np.random.Generator) -> None:
    """A page, a box or a label."""
    fonts = stock.shelf.fonts
    words = [" ".join(random_text(rng) for _ in range(int(rng.integers(1, 5)))) for _ in range(6)]
    patch = _text_patch(
        words[: int(rng.integers(1, 7))],
        fonts[int(rng.integers(len(fonts)))],
        [int(v) for v in rng.integers(0, 120, 3)],
        [int(v) for v in rng.integers(130, 256, 3)],
    )
    if patch is not None:
        x, y, turn = _place(rng)
        alpha = np.full(patch.shape[:2], 255, np.uint8)
        scale = float(rng.uniform(0.2, 1.0))
        _stamp_turned(image, patch, alpha, x, y, scale=scale, turn=turn)


def _score_sheet(image: Image, stock: Stock, rng: np.random.Generator) -> None:
    """Columns of numbers, as hands write the score."""
    fonts = stock.shelf.fonts
    lines = ["N S   E W"] + [
        f"{int(a)}    {int(b)}" for a, b in np.cumsum(rng.integers(0, 3, (8, 2)), axis=0)
    ]
    patch = _text_patch(lines, fonts[int(rng.integers(len(fonts)))], (90, 40, 20), (240, 246, 248))
    if patch is not None:
        x, y, turn = _place(rng)
        alpha = np.full(patch.shape[:2], 255, np.uint8)
        scale = float(rng.uniform(0.3, 0.7))
        _stamp_turned(image, patch, alpha, x, y, scale=scale, turn=turn)


def _pips(image: Image, stock: Stock, rng: np.random.Generator) -> None:
    """Suit signs alone, as on a trump marker, a mat or a cup."""
    for _ in range(int(rng.integers(1, 6))):
        masks = stock.shelf.suit_masks[SUITS[int(rng.integers(4))]]
        mask = masks[int(rng.integers(len(masks)))]
        ink = ((20, 20, 200), (25, 25, 25), (240, 240, 240))[int(rng.integers(3))]
        patch = np.full((*mask.shape, 3), ink, np.uint8)
        x, y, turn = _place(rng)
        scale = float(np.exp(rng.uniform(np.log(8), np.log(120)))) / mask.shape[0]
        _stamp_turned(image, patch, mask, x, y, scale=scale, turn=turn)


def _court(image: Image, stock: Stock, rng: np.random.Generator) -> None:
    """A court picture without its index."""
    courts = stock.shelf.courts
    if not courts:
        return
    patch = courts[int(rng.integers(len(courts)))]
    alpha = np.full(patch.shape[:2], 255, np.uint8)
    x, y, turn = _place(rng)
    _stamp_turned(image, patch, alpha, x, y, scale=float(rng.uniform(0.2, 1.0)), turn=turn)


def _disc(image: Image, stock: Stock, rng: np.random.Generator) -> None:
    """A chip, a coin or a cup from above, with a number or rings."""
    side = 200
    patch = np.full((side, side, 3), [int(v) for v in rng.integers(20, 256, 3)], np.uint8)
    alpha = np.zeros((side, side), np.uint8)
    cv2.circle(alpha, (100, 100), 98, 255, -1, cv2.LINE_AA)
    for radius in sorted(rng.integers(20, 95, int(rng.integers(1, 4)))):
        colour = [int(v) for v in rng.integers(0, 256, 3)]
        cv2.circle(patch, (100, 100), int(radius), colour, int(rng.integers(2, 16)), cv2.LINE_AA)
    if rng.random() < 0.6:
        fonts = stock.shelf.fonts
        text = str(rng.choice(["1", "2", "5", "10", "25", "50", "100", "D", "DEALER", "$", "K"]))
        mask = text_mask(fonts[int(rng.integers(len(fonts)))], text, 60)
        if mask is not None and max(mask.shape) < side:
            y0, x0 = (side - mask.shape[0]) // 2, (side - mask.shape[1]) // 2
            area = patch[y0 : y0 + mask.shape[0], x0 : x0 + mask.shape[1]]
            _blend(area, mask, (255, 255, 255) if rng.random() < 0.5 else (20, 20, 20))
    x, y, turn = _place(rng)
    _stamp_turned(image, patch, alpha, x, y, scale=float(rng.uniform(0.15, 0.9)), turn=turn)


def _dice(image: Image, stock: Stock, rng: np.random.Generator) -> None:
    """Dice and domino stones."""
    spots = {
        1: ((1, 1),), 2: ((0, 0), (2, 2)), 3: ((0, 0), (1, 1), (2, 2)),
        4: ((0, 0), (0, 2), (2, 0), (2, 2)), 5: ((0, 0), (0, 2), (1, 1), (2, 0), (2, 2)),
        6: ((0, 0), (0, 1), (0, 2), (2, 0), (2, 1), (2, 2)),
    }  # fmt: skip
    halves = 1 if rng.random() < 0.6 else 2
    dark = bool(rng.random() < 0.5)
    patch = np.full((120 * halves, 120, 3), 30 if dark else 235, np.uint8)
    for half in range(halves):
        for r, c in spots[int(rng.integers(1, 7))]:
            ink = 240 if dark else int(rng.integers(0, 60))
            at = (28 + 32 * c, 120 * half + 28 + 32 * r)
            cv2.circle(patch, at, 11, (ink, ink, ink), -1, cv2.LINE_AA)
    alpha = np.full(patch.shape[:2], 255, np.uint8)
    x, y, turn = _place(rng)
    _stamp_turned(image, patch, alpha, x, y, scale=float(rng.uniform(0.15, 0.8)), turn=turn)


def _keys(image: Image, stock: Stock, rng: np.random.Generator) -> None:
    """A keyboard: single letters and numbers on keys."""
    fonts = stock.shelf.fonts
    font = fonts[int(rng.integers(len(fonts)))]
    dark = bool(rng.random() < 0.6)
    patch = np.full((260, 660, 3), 25 if dark else 200, np.uint8)
    for row, keys in enumerate(("1234567890", "QWERTZUIOP", "ASDFGHJKL", "YXCVBNM")):
        for k, key in enumerate(keys):
            x, y = 10 + 64 * k + 14 * row, 8 + 62 * row
            if x + 56 > patch.shape[1]:
                continue
            face = 55 if dark else 245
            cv2.rectangle(patch, (x, y), (x + 54, y + 54), (face, face, face), -1, cv2.LINE_AA)
            mask = text_mask(font, key, 26)
            if mask is not None and mask.shape[1] < 44 and mask.shape[0] < 44:
                area = patch[y + 6 : y + 6 + mask.shape[0], x + 7 : x + 7 + mask.shape[1]]
                _blend(area, mask[: area.shape[0], : area.shape[1]], [230 if dark else 20] * 3)
    alpha = np.full(patch.shape[:2], 255, np.uint8)
    at_x, at_y, turn = _place(rng)
    _stamp_turned(image, patch, alpha, at_x, at_y, scale=float(rng.uniform(0.35, 1.1)), turn=turn)


def _phone(image: Image, stock: Stock, rng: np.random.Generator) -> None:
    """A telephone with coloured squares on its glass."""
    patch = np.full((400, 200, 3), 18, np.uint8)
    if rng.random() < 0.6:
        for r in range(6):
            for c in range(4):
                colour = [int(v) for v in rng.integers(30, 256, 3)]
                x, y = 14 + 46 * c, 30 + 56 * r
                cv2.rectangle(patch, (x, y), (x + 34, y + 34), colour, -1, cv2.LINE_AA)
    alpha = np.zeros(patch.shape[:2], np.uint8)
    cv2.rectangle(alpha, (12, 12), (187, 387), 255, -1)
    alpha = cv2.dilate(alpha, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (23, 23)))
    at_x, at_y, turn = _place(rng)
    _stamp_turned(image, patch, alpha, at_x, at_y, scale=float(rng.uniform(0.5, 1.2)), turn=turn)


def _other_game(image: Image, stock: Stock, rng: np.random.Generator) -> None:
    """A card of another game: a number in the corners and in the middle, and no suit."""
    fonts = stock.shelf.fonts
    font = fonts[int(rng.integers(len(fonts)))]
    paper = [int(v) for v in rng.integers(0, 256, 3)] if rng.random() < 0.7 else [245, 245, 245]
    ink = [255, 255, 255] if sum(paper) < 420 else [int(v) for v in rng.integers(0, 130, 3)]
    patch = np.full((420, 280, 3), paper, np.uint8)
    text = str(rng.choice([*"0123456789", "10", "11", "12", "+2", "+4", "S", "X"]))
    for high, x, y in ((50, 16, 16), (190, None, None)):
        mask = text_mask(font, text, high)
        if mask is None or mask.shape[1] > 250:
            return
        x0 = (280 - mask.shape[1]) // 2 if x is None else x
        y0 = (420 - mask.shape[0]) // 2 if y is None else y
        _blend(patch[y0 : y0 + mask.shape[0], x0 : x0 + mask.shape[1]], mask, ink)
        if x is not None:
            turned = patch[::-1, ::-1]
            _blend(turned[y0 : y0 + mask.shape[0], x0 : x0 + mask.shape[1]], mask, ink)
    alpha = np.full(patch.shape[:2], 255, np.uint8)
    x1, y1, turn = _place(rng)
    _stamp_turned(image, patch, alpha, x1, y1, scale=float(rng.uniform(0.2, 0.7)), turn=turn)


def _hand(image: Image, stock: Stock, rng: np.random.Generator) -> None:
    """An arm with fingers from a side of the frame."""
    cover = np.zeros(image.shape[:2], np.uint8)
    x, y, _ = _place(rng)
    way = math.atan2(y - FRAME_PX[1] / 2, x - FRAME_PX[0] / 2)
    thick = int(rng.integers(12, 34))
    for _ in range(5):
        a = way + math.pi + rng.normal(0, 0.4)
        far = thick * rng.uniform(2, 6)
        end = (int(x + math.cos(a) * far), int(y + math.sin(a) * far))
        cv2.line(cover, (int(x), int(y)), end, 255, thick, cv2.LINE_AA)
    end = (int(x + math.cos(way) * 1500), int(y + math.sin(way) * 1500))
    cv2.line(cover, (int(x), int(y)), end, 255, thick * 3, cv2.LINE_AA)
    blue = float(rng.uniform(60, 170))
    _blend(image, cv2.GaussianBlur(cover, (0, 0), 1.2), (blue, blue * 1.15, blue * 1.45))


THINGS: dict[str, Callable[[Image, Stock, np.random.Generator], None]] = {
    "print": _print,
    "score sheet": _score_sheet,
    "suit signs alone": _pips,
    "court picture alone": _court,
    "chip, coin or cup": _disc,
    "dice or domino": _dice,
    "keyboard": _keys,
    "telephone": _phone,
    "another game's card": _other_game,
    "hand": _hand,
}


def make_clutter(stock: Stock, rng: np.random.Generator) -> tuple[Image, list[str]]:
    """A table of :data:`FRAME_PX` with no card of ours on it, and the things that lie there."""
    image = ground(*FRAME_PX, stock.textures, rng)
    names = sorted(THINGS)
    there = [names[int(k)] for k in rng.integers(0, len(names), int(rng.integers(2, 9)))]
    for name in there:
        THINGS[name](image, stock, rng)
    return photographed(image, _light(rng), 20.0, rng), there


def _clutter_row(reader: Reader, stock: Stock, seed: int, step: int, out: Path) -> Row:
    named: list[str] = []
    total = {"scenes": 0, "named": 0, "unsure": 0, "foreign": 0, "backs": 0, "with unsure": 0}
    for k in range(step * TABLES_A_STEP, (step + 1) * TABLES_A_STEP):
        rng = np.random.default_rng((seed, 11, k))
        image, there = make_clutter(stock, rng)
        detections = reader.read(image)
        hits = [d for d in detections if d.kind == "card"]
        unsure = [d for d in detections if d.kind == "unsure"]
        total["scenes"] += 1
        total["named"] += len(hits)
        total["unsure"] += len(unsure)
        total["foreign"] += sum(d.why == "foreign" for d in unsure)
        total["backs"] += sum(d.kind == "back" for d in detections)
        total["with unsure"] += bool(unsure)
        named += [
            f"scene {k}: {d.card} at {d.confidence:.3f} among {', '.join(sorted(set(there)))}"
            for d in hits
        ]
        if hits:
            _keep(out / f"clutter_{k:05d}.jpg", image, reader)
    return {"counts": total, "named": named}


def clutter(bench: Bench, *, scenes: int, sheet: bool = False) -> None:
    """Tables without a card: how many cards were named (must be 0), unsure or face down."""
    stock = load_stock(bench.work, half=bench.half)
    stamp = bench.stamp("clutter", seed=bench.seed)
    wanted = max(1, math.ceil(scenes / TABLES_A_STEP))
    if sheet:
        _sample_sheet(stock, bench)

    def steps() -> Iterator[Step]:
        for step in range(wanted):
            yield (
                f"scenes {step}",
                partial(
                    _clutter_row, bench.reader, stock, bench.seed, step, bench.out / "strangers"
                ),
            )

    total: dict[str, int] = {}
    named: list[str] = []
    for name, row in run_steps(bench.out / "clutter.jsonl", stamp, steps()):
        for what, n in row["counts"].items():
            total[what] = total.get(what, 0) + n
        named += row["named"]
        print(f"  {name} of {wanted}: {total}", flush=True)
    bench.tell(
        "clutter",
        [{**total, "named, 95% per scene": bound(total.get("named", 0), total.get("scenes", 0))}],
        title="Tables without a card, 1280 x 720",
        more={"named": named},
    )


def _sample_sheet(stock: Stock, bench: Bench) -> None:
    tiles = []
    for k in range(6):
        image, _ = make_clutter(stock, np.random.default_rng((bench.seed, 11, k)))
        tiles.append(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA))
    bench.out.mkdir(parents=True, exist_ok=True)
    sheet = np.vstack([np.hstack(tiles[:3]), np.hstack(tiles[3:])])
    cv2.imwrite(str(bench.out / "clutter_sample.jpg"), sheet, [1, 88])
