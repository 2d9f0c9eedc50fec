"""How much a taught deck helps, and that it harms no other: scenes before and after.

A deck is taught from a few pictures of each card alone on a table; it is measured on new
scenes of several cards, some half covered, and so are other decks with that memory loaded.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from engine.cards import Card
from vision.decks import Deck
from vision.errors import VisionError
from vision.memory import Memory, reader_with
from vision.ports import Detection
from vision.reader import Reader, load_reader
from vision.teaching import Studio, Teaching, Verdict, learn, open_studio
from vision.training.faces import (
    HELD_OUT_DECKS,
    Face,
    FaceIndex,
    _shrunk,
    card_classes,
    draw_face,
    load_shelf,
    make_face,
    random_style,
    turned_copy,
)
from vision.training.scenes import (
    Labels,
    Picture,
    _draw_card,
    _index_labels,
    _tilt,
    camera,
)
from vision.training.textures import load_textures, table_top

Faces = dict[Card, Face]

SCENE_PX = 400
#: How large the picture of a card that is shown alone is.
SHOWN_PX = 300
#: A card counts that shows an index to this share, this high in pixels.
WHOLE, LEAST_PX = 0.9, 11.0
#: Decks nobody trained on, faces drawn in fonts nobody trained on, a German deck (trained
#: on as "none") and the photographed one.
MEASURED = (
    *HELD_OUT_DECKS,
    "font:1",
    "gnome-lattmann",
    "photo-faces",
)


def art_deck(work: Path, name: str) -> Faces:
    """The faces of one rendered deck under their true names, foreign letters included."""
    folder = work / "art" / name
    faces: Faces = {}
    for stem, entry in json.loads((folder / "deck.json").read_text())["faces"].items():
        card = Card({"high_joker": "B", "low_joker": "b"}.get(stem, stem))
        bgra = _shrunk(cv2.imread(str(folder / f"{stem}.png"), cv2.IMREAD_UNCHANGED))
        height, width = bgra.shape[:2]
        rank, suit = card_classes(card)
        left, top, right, bottom = entry["box"]
        first = FaceIndex(
            box=(left * width, top * height, right * width, bottom * height),
            turned=False,
            rank=rank,
            suit=suit,
        )
        faces[card] = make_face(bgra, (first, turned_copy(first, width, height)))
    return faces


def drawn_deck(work: Path, seed: int, *, held_out: bool) -> Faces:
    """A deck drawn in one random style, of the fonts held out or of the others."""
    rng = np.random.default_rng(seed)
    shelf = load_shelf(work, held_out=held_out)
    style = random_style(shelf, rng)
    faces: Faces = {}
    for suit in "cdhs":
        for rank in "23456789TJQKA":
            card = Card(rank + suit)
            for _ in range(20):  # now and then a face is drawn with a foreign letter: not here
                face = draw_face(shelf, style, card, rng)
                if all((i.rank, i.suit) == card_classes(card) for i in face.indices):
                    break
            faces[card] = face
    return faces


def deck_named(work: Path, name: str) -> Faces:
    """The euchre pack and jokers of a deck, since those are the cards that are taught.

    ``drawn:SEED`` (trained fonts), ``font:SEED`` (held-out fonts), or a rendered deck.
    """
    kind, _, seed = name.partition(":")
    faces = drawn_deck(work, int(seed), held_out=kind == "font") if seed else art_deck(work, name)
    return {card: face for card, face in faces.items() if card[0] in "9TJQKABb"}


def _placed(
    face: Face, spot: tuple[float, float], angle: float, index_px: float
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    width, height = face.size_px
    index = face.indices[0].box
    scale = index_px / (index[3] - index[1])
    c, s = np.cos(angle) * scale, np.sin(angle) * scale
    return np.array([[c, -s, spot[0]], [s, c, spot[1]], [0, 0, 1]]) @ np.array(
        [[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 1.0]]
    )


def shown_card(face: Face, textures: Sequence[Picture], rng: np.random.Generator) -> Picture:
    """One card alone, near the middle, as somebody shows it to the camera; plain light."""
    size = SHOWN_PX
    image = np.ascontiguousarray(table_top(size, list(textures), rng))
    owner = np.zeros((size, size), np.int16)
    spot = tuple(rng.uniform(0.42, 0.58, 2) * size)
    place = _placed(face, spot, rng.uniform(0, 2 * np.pi), rng.uniform(24, 40))
    _draw_card(image, owner, 1, face, place, rng)
    picture = image.astype(np.float32) * rng.uniform(0.75, 1.05)
    picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.4, 0.9))
    picture += rng.standard_normal(picture.shape, dtype=np.float32) * 3
    return np.clip(picture, 0, 255).astype(np.uint8)


def table_scene(
    faces: Faces, textures: Sequence[Picture], rng: np.random.Generator
) -> tuple[Picture, Labels, list[Card]]:
    """Up to eight cards under any light the trainer knows; labels' ``share`` holds the card."""
    size = SCENE_PX
    image = np.ascontiguousarray(table_top(size, list(textures), rng))
    owner = np.zeros((size, size), np.int16)
    lean = _tilt(size, rng)
    index_px = float(np.exp(rng.uniform(np.log(12), np.log(36))))
    names = list(faces)
    count = int(rng.integers(3, 9 if index_px < 22 else 5))
    drawn: list[tuple[int, Card, Face, np.ndarray[tuple[int, ...], np.dtype[np.float64]]]] = []
    for k in rng.permutation(len(names))[:count]:
        card = names[int(k)]
        spot = tuple(rng.uniform(0.12, 0.88, 2) * size)
        place = lean @ _placed(faces[card], spot, rng.uniform(0, 2 * np.pi), index_px)
        _draw_card(image, owner, len(drawn) + 1, faces[card], place, rng)
        drawn.append((len(drawn) + 1, card, faces[card], place))
    rows: list[list[float]] = []
    cards: list[Card] = []
    for number, card, face, place in drawn:
        more = _index_labels(face, number, place, owner)
        rows += more
        cards += [card] * len(more)
    labels = np.array(rows, np.float32).reshape(-1, 13)
    return camera(image, max(index_px, 8.0), rng), labels, cards


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """A picture with the cards that count in it: name, middle and height in pixels."""

    picture: Picture
    cards: tuple[tuple[Card, float, float, float], ...]
    others: frozenset[Card]


def scenes_of(faces: Faces, textures: Sequence[Picture], *, count: int, seed: int) -> list[Scene]:
    """``count`` scenes of one deck."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        picture, labels, names = table_scene(faces, textures, rng)
        counted: dict[Card, tuple[Card, float, float, float]] = {}
        for row, card in zip(labels, names, strict=True):
            if row[12] >= WHOLE and row[5] >= LEAST_PX:
                counted[card] = (card, float(row[9]), float(row[10]), float(row[11]))
        made.append(
            Scene(
                picture=picture,
                cards=tuple(counted.values()),
                others=frozenset(names) - frozenset(counted),
            )
        )
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """Cards that count, those named rightly, names that no card there has, and doubts."""

    cards: int
    found: int
    wrong: int
    unsure: int


def counted(detections: Sequence[Detection], scene: Scene) -> Count:
    """One scene's count. A name must lie where its card does (within half a card)."""
    named = [d for d in detections if d.kind == "card"]
    found = 0
    wrong = 0
    for d in named:
        x, y = (d.box[0] + d.box[2]) / 2, (d.box[1] + d.box[3]) / 2
        match = next((c for c in scene.cards if c[0] == d.card), None)
        if match is None:
            wrong += d.card not in scene.others
        elif np.hypot(match[1] - x, match[2] - y) < 0.6 * match[3]:
            found += 1
        else:
            wrong += 1
    return Count(
        cards=len(scene.cards),
        found=found,
        wrong=wrong,
        unsure=sum(d.kind == "unsure" for d in detections),
    )


@dataclass(slots=True, kw_only=True, eq=False)
class Recalled:
    """A session that remembers its answers: many memories look at the same scenes."""

    session: Any
    known: dict[tuple[Any, ...], Any] = field(default_factory=dict)

    def run(self, names: Sequence[str], feeds: dict[str, Any]) -> Any:
        ((name, value),) = feeds.items()
        key = (*names, name, hashlib.sha1(value.tobytes()).digest())
        if key not in self.known:
            self.known[key] = self.session.run(list(names), feeds)
        return self.known[key]


def taught(
    studio: Studio, faces: Faces, textures: Sequence[Picture], *, name: str, views: int, seed: int
) -> tuple[Deck, tuple[Verdict, ...], float]:
    """Teach every card from ``views`` pictures; the deck, the verdicts, seconds of learning."""
    rng = np.random.default_rng(seed)
    teaching = Teaching(studio.reader)
    for card, face in faces.items():
        for _ in range(views):
            teaching.picture(shown_card(face, textures, rng), card)
    began = time.monotonic()
    deck, verdicts = learn(studio, teaching.examples, name=name, taught_on="", wanted=tuple(faces))
    return deck, verdicts, time.monotonic() - began


def judge(
    work: Path,
    names: Sequence[str],
    *,
    scenes: int,
    views: int = 3,
    threads: int = 1,
    models_dir: Path | None = None,
) -> None:
    """Print, as JSON lines, each deck's teaching and then its count before and after.

    ``others``: over all other decks together, with this deck's memory loaded.
    """
    textures = [t for k, t in enumerate(load_textures(work)) if k % 6 == 2]  # held-out tops
    reader = load_reader(threads=threads, models_dir=models_dir)
    opened = open_studio(reader, threads=threads, models_dir=models_dir)
    finder, session = Recalled(session=reader.finder), Recalled(session=opened.session)
    reader = replace(reader, finder=finder)
    blank = reader_with(reader, session, opened.hidden, Memory(rank=None, suit=None, classifier=""))
    readers: dict[str, Reader] = {"": reader}
    for name in names:
        faces = deck_named(work, name)
        deck, verdicts, spent_s = taught(
            replace(opened, reader=blank),
            faces,
            textures,
            name="judged",
            views=views,
            seed=sum(map(ord, name)),
        )
        readers[name] = reader_with(reader, session, opened.hidden, deck.memory)
        kinds = [v.kind for v in verdicts]
        line = {
            "deck": name,
            "cards": len(faces),
            "examples": len(deck.cards),
            "learning_s": round(spent_s, 1),
            "verdicts": {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)},
            "speaks_of": "".join(deck.memory.doubted),
        }
        print(json.dumps(line), flush=True)
        finder.known.clear()
        session.known.clear()
    totals = {(a, b): [0, 0, 0, 0] for a in readers for b in names}
    for name in names:
        for scene in scenes_of(
            deck_named(work, name), textures, count=scenes, seed=5_000 + sum(map(ord, name))
        ):
            for memory, its_reader in readers.items():
                one = counted(its_reader.read(scene.picture), scene)
                total = totals[memory, name]
                for place, value in enumerate((one.cards, one.found, one.wrong, one.unsure)):
                    total[place] += value
            finder.known.clear()
            session.known.clear()
        print(
            json.dumps(
                {
                    "deck": name,
                    "before": totals["", name],
                    "after": totals[name, name],
                    "with_others": {a: totals[a, name] for a in names if a != name},
                }
            ),
            flush=True,
        )
    for name in names:
        rest = [b for b in names if b != name]
        line = {
            "memory": name,
            "others_before": [sum(totals["", b][p] for b in rest) for p in range(4)],
            "others_after": [sum(totals[name, b][p] for b in rest) for p in range(4)],
        }
        print(json.dumps(line), flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """``python -m vision.training.judge_teaching [DECK...] --work DIR``."""
    parser = argparse.ArgumentParser(
        prog="python -m vision.training.judge_teaching", description=__doc__
    )
    parser.add_argument("decks", nargs="*", default=MEASURED)
    parser.add_argument("--work", type=Path, required=True, help="where the art was rendered")
    parser.add_argument("--scenes", type=int, default=100)
    parser.add_argument("--views", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--models", type=Path, default=None)
    chosen = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    try:
        judge(
            chosen.work,
            list(chosen.decks),
            scenes=chosen.scenes,
            views=chosen.views,
            threads=chosen.threads,
            models_dir=chosen.models,
        )
    except (VisionError, OSError) as fault:
        print(f"judge_teaching: {fault}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
