"""Decks and fonts that were never trained on, on whole tables: by overlap, light, size and tilt.

Half of the tables are normal in every way; on each other one thing is pushed to a hard level.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

from vision.frame import Image
from vision.measure import match
from vision.proving.errors import NothingToMeasure
from vision.proving.ledger import Row, Step, run_steps
from vision.proving.sheet import bound, chart
from vision.proving.study import Bench
from vision.proving.tables import (
    Light,
    Placed,
    Seen,
    card_name_of,
    ground,
    index_share,
    photograph_of,
)
from vision.reader import Reader
from vision.training.colours import any_blue, any_green, printed_in
from vision.training.faces import (
    DISPLAY_FONTS,
    RANKS,
    SUITS,
    Face,
    Shelf,
    draw_face,
    load_shelf,
    make_face,
    random_style,
)
from vision.training.textures import load_textures

FRAME_PX = (1920, 1080)
TABLES_A_STEP = 10
#: Levels of each thing; the first list of each is normal.
SIZES_PX = ((17, 20, 25, 32, 40), (8, 10, 12, 14, 55, 80, 110))
LEANS = ((0, 15, 25, 35), (42, 50))
#: Gain and colour temperature.
LIGHTS: tuple[tuple[tuple[float, float], ...], tuple[tuple[float, float], ...]] = (
    ((1.0, 6500), (0.7, 6500), (0.5, 5000), (0.9, 4000), (0.8, 3000)),
    ((0.3, 5000), (0.2, 5000), (0.1, 5000), (0.8, 2700), (0.8, 2200), (0.3, 2700)),
)
#: Bands of the index's height as it is in the picture, after the lean has shortened it.
BANDS_PX = (0, 7, 9, 11, 13, 16, 19, 23, 29, 36, 48, 64, 90, 1000)
#: Under this a table that is normal otherwise is not counted as normal.
NORMAL_PX = 16
BLURS = ((0.0, 0.03, 0.05), (0.08, 0.12, 0.16))
LAYS = ("free", "trick", "fan", "heap")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One table's levels; ``pushed`` names what is hard on it (``nothing``: normal)."""

    size_px: float
    lean: float
    gain: float
    kelvin: float
    blur: float
    lay: str
    pushed: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stock:
    """What tables are made of, loaded once. ``four_colours``: clubs are green, diamonds blue."""

    shelf: Shelf
    textures: list[Image]
    four_colours: bool = False


def load_stock(
    work: Path, *, held_out: bool = True, half: str | None = None, four_colours: bool = False
) -> Stock:
    """Decks, fonts and table tops kept from training (or, ``held_out`` false, the others').

    ``half``: only the decks and fonts to choose by, or only those to report on.
    ``four_colours``: printed decks without their courts, whose pictures would keep two colours.
    Raises :class:`~vision.proving.errors.NothingToMeasure` where the art is missing.
    """
    if not (work / "art").is_dir():
        raise NothingToMeasure(
            f"{work / 'art'} is missing: install the deck art with "
            "`python -m vision.training art`, or give its folder with --work"
        )
    textures = load_textures(work)
    shelf = load_shelf(work, held_out=held_out, half=half)
    if four_colours:
        rng = np.random.default_rng(4)
        art = {deck: _in_four_colours(faces, rng) for deck, faces in shelf.art.items()}
        shelf = replace(shelf, art=art)
    return Stock(
        shelf=shelf,
        textures=[t for k, t in enumerate(textures) if (k % 6 == 2) == held_out],
        four_colours=four_colours,
    )


def _in_four_colours(faces: Mapping[str, Face], rng: np.random.Generator) -> dict[str, Face]:
    inks = {"c": any_green(rng), "d": any_blue(rng)}
    return {
        name: face
        if (ink := inks.get(name[1])) is None
        else make_face(printed_in(face.mips[0], ink), face.indices)
        for name, face in faces.items()
        if len(name) == 2 and name[0] not in "JQK"
    }


def draw_setting(rng: np.random.Generator) -> Setting:
    def pick(levels: Sequence[object]) -> int:
        return int(rng.integers(len(levels)))

    pushed = "nothing"
    if rng.random() < 0.5:
        pushed = ("size", "lean", "light", "blur")[int(rng.integers(4))]
    size = SIZES_PX[pushed == "size"]
    lean = LEANS[pushed == "lean"]
    light = LIGHTS[pushed == "light"]
    blur = BLURS[pushed == "blur"]
    gain, kelvin = light[pick(light)]
    return Setting(
        size_px=size[pick(size)],
        lean=lean[pick(lean)],
        gain=gain,
        kelvin=kelvin,
        blur=blur[pick(blur)],
        lay=LAYS[pick(LAYS)],
        pushed=pushed,
    )


def _plain_face(
    stock: Stock, rng: np.random.Generator, names: Sequence[str]
) -> tuple[str, Mapping[str, Face]]:
    """A deck's name and its faces of ``names``: printed art, or drawn in a held-out font."""
    shelf = stock.shelf
    if rng.random() < 0.6 and shelf.art:
        deck = sorted(shelf.art)[int(rng.integers(len(shelf.art)))]
        return deck, {n: f for n, f in shelf.art[deck].items() if card_name_of(f.indices[0]) == n}
    # rank beside suit is another layout than ours: read as nothing on purpose
    style = replace(random_style(shelf, rng), beside=False, rank_deck=None)
    if stock.four_colours:
        style = replace(style, inks=style.inks | {"c": any_green(rng), "d": any_blue(rng)})
    faces: dict[str, Face] = {}
    for name in names:
        for _ in range(6):  # draw_face slips in foreign letters and suits: not here
            face = draw_face(shelf, style, name, rng)
            if card_name_of(face.indices[0]) == name:
                faces[name] = face
                break
    made = "display" if style.font.parent.name in DISPLAY_FONTS else "drawn"
    return f"{made}:{style.font.stem}", faces


def _places(
    lay: str, card_px: float, frame_px: tuple[int, int], count: int, rng: np.random.Generator
) -> list[tuple[float, float, float]]:
    """x, y and turn of at most ``count`` cards, in the order they are laid."""
    width, height = frame_px
    a_group = {"free": 1, "trick": 4, "fan": 5, "heap": 5}[lay]
    reach = card_px * {"free": 1.3, "trick": 2.2, "fan": 2.2, "heap": 1.9}[lay]
    columns, rows = max(1, int(width // reach)), max(1, int(height // reach))
    cells = [(c, r) for r in range(rows) for c in range(columns)]
    rng.shuffle(cells)
    places: list[tuple[float, float, float]] = []
    for column, row in cells:
        if len(places) >= count:
            break
        x0 = (column + 0.5) * width / columns
        y0 = (row + 0.5) * height / rows
        turn0 = float(rng.uniform(0, 2 * math.pi))
        for k in range(a_group):
            if lay == "free":
                places.append((x0, y0, turn0))
            elif lay == "trick":  # four seats play towards the middle
                turn = turn0 + k * math.pi / 2 + rng.normal(0, 0.25)
                far = card_px * rng.uniform(0.3, 0.6)
                places.append((x0 - far * math.sin(turn), y0 + far * math.cos(turn), turn))
            elif lay == "fan":
                turn = turn0 + (k - 2) * 0.22
                far = 0.75 * card_px
                places.append(
                    (
                        x0 + far * math.sin(turn),
                        y0 - far * math.cos(turn) + far * 0.5,
                        turn,
                    )
                )
            else:
                x, y = rng.normal(0, 0.42 * card_px, 2)
                places.append((x0 + x, y0 + y, float(rng.uniform(0, 2 * math.pi))))
    return places[:count]


def make_table(
    stock: Stock, setting: Setting, rng: np.random.Generator, *, most: int = 14
) -> tuple[Image, list[Seen], str]:
    """A frame of :data:`FRAME_PX` (width, height), what is seen in it, and the deck's name.

    No name lies there twice: a duplicate is read as unsure, and would count as missed.
    """
    names = [r + s for r in RANKS for s in SUITS]
    chosen = [names[k] for k in rng.permutation(len(names))[:most]]
    deck, faces = _plain_face(stock, rng, chosen)
    there = [n for n in chosen if n in faces]
    shares = [index_share(faces[n]) for n in there]
    card_px = setting.size_px / float(np.median(shares))
    places = _places(setting.lay, card_px, FRAME_PX, len(there), rng)
    cards = [
        Placed(name=name, face=faces[name], x=x, y=y, card_px=card_px, turn=turn)
        for name, (x, y, turn) in zip(there, places, strict=False)
    ]
    light = Light(
        gain=setting.gain,
        kelvin=setting.kelvin,
        blur=setting.blur,
        noise=float(rng.uniform(1, 5)),
        jpeg=int(rng.integers(60, 96)),
    )
    image, seen = photograph_of(
        cards,
        table=ground(*FRAME_PX, stock.textures, rng),
        lean_degrees=setting.lean,
        light=light,
        rng=rng,
    )
    return image, seen, deck


def size_band(index_px: float) -> str:
    """The band of ``BANDS_PX`` that ``index_px`` lies in, as text."""
    low, high = next((a, b) for a, b in pairwise(BANDS_PX) if index_px < b)
    return f"size {low}-{high} px"


def _levels(setting: Setting, one: Seen) -> Iterator[str]:
    """The rows of the table a card is counted in."""
    if setting.pushed == "nothing":
        yield size_band(one.index_px)
        if one.index_px < NORMAL_PX:
            yield f"hard size: leaned under {NORMAL_PX} px"
            return
        yield "all normal"
        yield f"lean {setting.lean:g}"
        yield f"light {setting.gain:g}x {setting.kelvin:g} K"
        yield f"blur {setting.blur:g}"
        yield f"lay {setting.lay}"
        yield f"suit {one.name[-1]}"
        covered = min(int(one.covered * 5), 4) * 20
        yield f"covered {covered}-{covered + 20}%"
        yield f"whole indices {min(one.whole, 2)}"
        return
    yield f"hard {setting.pushed}"
    match setting.pushed:
        case "size":
            yield size_band(one.index_px)
        case "lean":
            yield f"lean {setting.lean:g}"
        case "light":
            yield f"light {setting.gain:g}x {setting.kelvin:g} K"
        case "blur":
            yield f"blur {setting.blur:g}"


def _tables_row(reader: Reader, stock: Stock, seed: int, step: int, out: Path) -> Row:
    rows: dict[str, dict[str, int]] = {}
    mistakes: list[str] = []
    misses: list[str] = []

    def add(level: str, what: str) -> None:
        rows.setdefault(level, {"cards": 0, "found": 0, "named": 0, "wrong": 0, "misplaced": 0})[
            what
        ] += 1

    for k in range(step * TABLES_A_STEP, (step + 1) * TABLES_A_STEP):
        rng = np.random.default_rng((seed, k))
        setting = draw_setting(rng)
        image, seen, deck = make_table(stock, setting, rng)
        detections = reader.read(image)
        labels = [s.label() for s in seen]
        found, missed, wrong = match(detections, labels)
        made = deck.split(":")[0]
        kind = {"drawn": "drawn in text fonts", "display": "drawn in display fonts"}.get(made, deck)
        hits = {c["card"] for c in found}
        for one in seen:
            if not one.due and one.name not in hits:
                continue
            # a card with no whole index that is named all the same counts as named only
            for level in (*_levels(setting, one), f"deck {kind}"):
                if level.startswith("deck") and (
                    setting.pushed != "nothing" or one.index_px < NORMAL_PX
                ):
                    continue
                if one.due:
                    add(level, "cards")
                if one.name in hits:
                    add(level, "named")
                    if one.due:
                        add(level, "found")
        there = {s.name for s in seen}
        for d in wrong:
            level = "all normal" if setting.pushed == "nothing" else f"hard {setting.pushed}"
            for where in dict.fromkeys((level, f"deck {kind}")):
                if where.startswith("deck") and setting.pushed != "nothing":
                    continue
                add(where, "named")
                add(where, "wrong")
                if d.card in there:
                    add(where, "misplaced")
            elsewhere = " (misplaced)" if d.card in there else ""
            mistakes.append(
                f"table {k} {deck} {setting.pushed} {setting.lay}: {d.card} at "
                f"{d.confidence:.3f}{elsewhere}"
            )
        due = {s.name for s in seen if s.due and s.index_px >= NORMAL_PX}
        lost = [c["card"] for c in missed if c["card"] in due]
        if setting.pushed == "nothing":
            misses += [f"table {k} {deck} {setting.lay}: {c}" for c in lost]
        if wrong or (setting.pushed == "nothing" and lost):
            _keep_picture(out / f"table_{k:05d}.jpg", image, reader, labels)
    return {"levels": rows, "mistakes": mistakes, "misses": misses}


def _keep_picture(
    path: Path, image: Image, reader: Reader, labels: Sequence[Mapping[str, object]]
) -> None:
    from vision.explain import explained_reading

    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), explained_reading(image, reader, labels=labels), [1, 85])


def decks(bench: Bench, *, cards: int, sheet: bool = False, four_colours: bool = False) -> None:
    """Some ``cards`` cards of decks and fonts never trained on, on whole tables.

    ``four_colours``: the same decks with green clubs and blue diamonds.
    """
    stock = load_stock(bench.work, half=bench.half, four_colours=four_colours)
    study = "decks_four_colours" if four_colours else "decks"
    steps_wanted = max(1, math.ceil(cards / (11.5 * TABLES_A_STEP)))
    stamp = bench.stamp(study, seed=bench.seed, frame=FRAME_PX, decks=sorted(stock.shelf.art))
    out = bench.out / study
    if sheet:
        _sample_sheet(stock, bench)

    def steps() -> Iterator[Step]:
        for step in range(steps_wanted):
            yield (
                f"tables {step}",
                partial(_tables_row, bench.reader, stock, bench.seed, step, out),
            )

    total: dict[str, dict[str, int]] = {}
    mistakes: list[str] = []
    misses: list[str] = []
    for name, row in run_steps(bench.out / f"{study}.jsonl", stamp, steps()):
        for level, counts in row["levels"].items():
            into = total.setdefault(level, dict.fromkeys(counts, 0))
            for what, n in counts.items():
                into[what] = into.get(what, 0) + n
        mistakes += row["mistakes"]
        misses += row["misses"]
        normal = total.get("all normal", {"cards": 0, "found": 0, "wrong": 0})
        print(
            f"  {name} of {steps_wanted}: normal {normal['found']}/{normal['cards']}, "
            f"wrong in all {len(mistakes)}",
            flush=True,
        )
    rows = []
    for level in sorted(total, key=_order):
        t = total[level]
        with_wrong = level.startswith(("all", "hard", "deck"))
        rows.append(
            {
                "what": level,
                "cards": t["cards"],
                "found": t["found"],
                "found %": round(100 * t["found"] / max(t["cards"], 1), 2),
                "named": t["named"],
                "wrong": t["wrong"] if with_wrong else "",
                "misplaced": t["misplaced"] if with_wrong else "",
                "wrong, 95%": bound(t["wrong"], t["named"]) if with_wrong else "",
            }
        )
    bench.tell(
        study,
        rows,
        title=(
            f"{'Four-colour' if four_colours else 'Two-colour'} decks never trained on ("
            + ", ".join(sorted(stock.shelf.art))
            + ") and held-out "
            "fonts, 1920 x 1080; cards with at least one whole index"
        ),
        more={"mistakes": mistakes, "misses": misses},
    )
    for kind, unit in (("size", "index height from, pixels"), ("lean", "degrees")):
        line = sorted(
            (float(level.split()[1].split("-")[0]), 100 * t["found"] / max(t["cards"], 1))
            for level, t in total.items()
            if level.startswith(kind + " ")
        )
        chart(
            bench.out / f"{study}_{kind}.svg",
            title=f"Held-out decks: found by {kind}",
            x_label=unit,
            y_label="found, %",
            series={"held-out decks": line},
        )


def _order(level: str) -> tuple[int, str, float]:
    words = level.split()
    kinds = (
        "all",
        "hard",
        "deck",
        "size",
        "lean",
        "light",
        "blur",
        "lay",
        "suit",
        "covered",
        "whole",
    )
    digits = "".join(c for c in words[1].split("-")[0].rstrip(":") if c.isdigit() or c == ".")
    number = float(digits) if digits and words[0] in ("size", "lean", "light", "blur") else 0.0
    return kinds.index(words[0]), "" if number else level, number


def _sample_sheet(stock: Stock, bench: Bench) -> None:
    """A picture of a few tables, to look at what is measured."""
    tiles = []
    for k in range(6):
        rng = np.random.default_rng((bench.seed, k))
        image, _, _ = make_table(stock, draw_setting(rng), rng)
        tiles.append(cv2.resize(image, None, fx=1 / 3, fy=1 / 3, interpolation=cv2.INTER_AREA))
    bench.out.mkdir(parents=True, exist_ok=True)
    sheet = np.vstack([np.hstack(tiles[:3]), np.hstack(tiles[3:])])
    cv2.imwrite(
        str(bench.out / f"decks{'_four_colours' * stock.four_colours}_sample.jpg"), sheet, [1, 88]
    )
