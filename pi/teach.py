"""``upcard teach``: show a deck card by card; what was learned is kept under its name.

The cards come from the camera, a recorded clip, a folder of pictures or the simulated table.
A live deck is shown in the order asked for; in clips and folders cards are named by the
reader, or by their file's name (``Kh.jpg``, ``Kh_2.png``, ``joker.jpg``).
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from engine.cards import HIGH_JOKER, LOW_JOKER, RANKS, SUITS, Card, card_name, parse_card
from engine.wording import counted
from pi.doctor import on_a_pi
from pi.errors import BadSettings
from pi.fitting import open_camera
from pi.settings import KitSettings, kit_settings
from vision.decks import Deck, checked_name, decks_in, keep_deck, open_deck
from vision.errors import VisionError
from vision.frame import Frame
from vision.picture import load_picture
from vision.ports import FrameSource
from vision.reader import Reader, load_reader
from vision.teaching import (
    CardTaken,
    News,
    NotTaken,
    Teaching,
    Verdict,
    learn,
    open_studio,
    reader_for,
    refitted,
    said,
)

Order: TypeAlias = Literal["asked", "any"]
Line: TypeAlias = dict[str, Any]
Emit: TypeAlias = Callable[[Line], None]

PICTURES: Final = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})
#: The name of a card at the beginning of a file's name, ended by anything but a letter.
_LABEL: Final = re.compile(
    r"(10|[2-9TJQKA])([cdhs])(?![A-Za-z])|(joker[ _-]?low|joker|B|b)(?![A-Za-z])"
)
#: Where a live deck is shown; a folder of that name is not meant.
LIVE: Final = frozenset({"sim", "pi", "usb"})
#: How the simulated table shows a card: milliseconds of a move, of rest, and of an empty table.
_MOVE_MS, _REST_MS, _EMPTY_MS, _SHOWN_FPS = 200, 700, 500, 5


def pack_named(text: str) -> tuple[Card, ...]:
    """The cards to show, in order: 24, 25 (with the joker), 32, 52, 54, or names with commas.

    Raises :class:`pi.errors.BadSettings` or ``engine.cards.BadCard``.
    """
    packs = {"24": (9, ()), "25": (9, (HIGH_JOKER,)), "32": (7, ()), "52": (2, ())}
    packs["54"] = (2, (HIGH_JOKER, LOW_JOKER))
    if text in packs:
        lowest, jokers = packs[text]
        ranks = RANKS[lowest - 2 :]
        return tuple(Card(rank + suit) for suit in SUITS for rank in ranks) + jokers
    cards = tuple(parse_card(part.strip()) for part in text.split(","))
    if len(set(cards)) < len(cards):
        raise BadSettings(f"--cards {text}: a card is named twice")
    return cards


def label_of(path: Path) -> Card | None:
    """The card that a picture's name begins with, None where it names none."""
    found = _LABEL.match(path.stem)
    if found is None:
        return None
    rank, suit, joker = found.groups()
    if joker is not None:
        return LOW_JOKER if joker == "b" or "low" in joker else HIGH_JOKER
    return Card(("T" if rank == "10" else rank) + suit)


def taught_reader(
    name: str,
    folder: Path,
    *,
    threads: int,
    complain: Callable[[str], None],
    **options: Any,
) -> Reader:
    """The reader with the deck called ``name`` in mind; ``options`` go to ``load_reader``.

    A deck taught before the model changed is fitted again once, and kept so. Raises the
    errors of ``vision.decks``, ``vision.features`` and ``models``.
    """
    deck = open_deck(folder, name)
    reader = load_reader(threads=threads, **options)
    studio = open_studio(reader, threads=threads)
    if deck.memory.classifier != studio.classifier:
        complain(f"deck {name} was taught with another model: fitting it again, once")
        deck = refitted(studio, deck)
        try:
            keep_deck(folder, deck)
        except VisionError as error:
            complain(str(error))
    return reader_for(reader, deck, threads=threads)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One teaching: from where (``sim``, ``pi``, ``usb``, a clip or a folder), what, and how.

    ``settings``: those the table plays with; its camera is opened as they say.
    """

    name: str
    source: str
    cards: tuple[Card, ...]
    order: Order
    views: int
    folder: Path
    threads: int
    seed: int = 1
    settings: KitSettings = field(default_factory=KitSettings)


def plan_for(given: argparse.Namespace, *, folder: Path) -> Plan:
    """The plan that the words of the command line make.

    Raises :class:`pi.errors.BadSettings`, ``BadCard`` or ``vision.decks.BadDeckName``.
    """
    settings = kit_settings(None)
    source = given.source
    if source is None:
        if not on_a_pi():
            raise BadSettings(
                "no source is named and this is no Pi: --from a clip, a folder of pictures, "
                "usb (a USB camera) or sim (the simulated table)"
            )
        source = "usb" if settings.table == "usb" else "pi"
    live = source in LIVE
    if not live and not Path(source).exists():
        raise BadSettings(f"--from {source}: no such clip or folder, nor one of sim, pi, usb")
    return Plan(
        name=checked_name(given.name),
        source=source,
        cards=pack_named(given.cards),
        order=given.order or ("asked" if live else "any"),
        views=given.views,
        folder=folder,
        threads=given.threads,
        seed=given.seed,
        settings=settings,
    )


def teach(
    plan: Plan,
    *,
    emit: Emit,
    complain: Callable[[str], None],
    today: Callable[[], str] = lambda: time.strftime("%Y-%m-%d"),
) -> int:
    """Teach a deck and keep it; return the exit code. Lines for ``emit`` have a ``kind``.

    ``ask`` (the card to show next), ``taken``, ``not_taken``, ``learning``, ``verdict`` and,
    last, ``kept``. 1: a picture of the folder was faulty (named, the rest was taught).
    130: interrupted; what was shown until then is kept. Raises the errors of the source,
    ``vision.teaching.NothingTaught`` and those of ``vision.decks``.
    """
    studio = open_studio(load_reader(threads=plan.threads), threads=plan.threads)
    order = plan.cards if plan.order == "asked" else None
    teaching = Teaching(studio.reader, order=order, views=plan.views)
    code = 0
    if plan.source not in LIVE and Path(plan.source).is_dir():
        code = _from_folder(Path(plan.source), teaching, emit, complain)
    else:
        try:
            with ExitStack() as opened:
                source = opened.enter_context(closing(_source(plan, opened)))
                _from_frames(source, teaching, len(plan.cards), emit)
        except KeyboardInterrupt:
            # half a deck is worth keeping: nobody shows it twice gladly
            code = 130
        except VisionError as error:
            # a clip cut short: what it showed was sound
            if not teaching.examples:
                raise
            complain(str(error))
            code = 1
    emit({"kind": "learning", "examples": len(teaching.examples)})
    began = time.monotonic()
    deck, verdicts = learn(
        studio,
        teaching.examples,
        name=plan.name,
        taught_on=today(),
        wanted=plan.cards if order is not None else (),
    )
    seconds = time.monotonic() - began
    for verdict in verdicts:
        emit(_verdict_line(verdict))
    path = keep_deck(plan.folder, deck)
    emit(_kept_line(deck, verdicts, path, seconds))
    return code


def _from_frames(source: FrameSource, teaching: Teaching, wanted: int, emit: Emit) -> None:
    asked: Card | None = None
    taken = 0
    last_us = 0
    for frame in source.frames():
        if teaching.asked is not None and teaching.asked != asked:
            asked = teaching.asked
            emit({"kind": "ask", "card": asked, "number": taken + 1, "of": wanted})
        last_us = frame.at_us
        for news in teaching.see(frame):
            taken += isinstance(news, CardTaken)
            emit(_news_line(news))
        if teaching.done:
            return
    for news in teaching.end(last_us):
        emit(_news_line(news))


def _from_folder(
    folder: Path, teaching: Teaching, emit: Emit, complain: Callable[[str], None]
) -> int:
    paths = sorted(p for p in folder.iterdir() if p.suffix.lower() in PICTURES)
    if not paths:
        raise BadSettings(f"--from {folder}: the folder holds no pictures, such as Kh.jpg")
    code = 0
    for path in paths:
        try:
            news = teaching.picture(load_picture(path), label_of(path))
        except VisionError as error:
            complain(str(error))
            code = 1
            continue
        emit({**_news_line(news), "image": str(path)})
    return code


def _source(plan: Plan, opened: ExitStack) -> FrameSource:
    match plan.source:
        case "sim":
            return ShownCards(plan.cards, views=plan.views, seed=plan.seed)
        case "pi" | "usb":
            return open_camera(plan.source, plan.settings, opened)
        case path:
            from vision.clips import ClipSource

            return ClipSource(path)


class ShownCards:
    """The simulated table, on which one card after the other is laid and moved. A FrameSource."""

    def __init__(self, cards: Sequence[Card], *, views: int, seed: int) -> None:
        self._cards = tuple(cards)
        self._views = views
        self._seed = seed
        self._closed = False

    def frames(self) -> Iterator[Frame]:
        """Frames as fast as they are taken, stamped 5 a second."""
        import random

        from pi.sim.dials import Dials
        from pi.sim.lens import Lens
        from pi.sim.painter import Painter
        from pi.sim.stage import Episode, Flight, Pose, Resting, Still

        painter = Painter(lens=Lens(field_mm=640.0), dials=Dials(), seed=self._seed)
        rng = random.Random(f"shown {self._seed}")
        now_us = 0
        step_us = 1_000_000 // _SHOWN_FPS
        away = Pose(x_mm=0.0, y_mm=600.0)

        def film(episode: Episode) -> Iterator[Frame]:
            nonlocal now_us
            while now_us < episode.end_us and not self._closed:
                yield Frame(at_us=now_us, image=painter.frame(episode, now_us))
                now_us += step_us

        for key, card in enumerate(self._cards):
            pose = away
            for _ in range(self._views):
                there = Pose(
                    x_mm=rng.uniform(-120, 120),
                    y_mm=rng.uniform(-60, 60),
                    turn_deg=rng.uniform(0, 360),
                )
                moved_us = now_us + _MOVE_MS * 1000
                flight = Flight(
                    key=key,
                    stills=(
                        Still(at_us=now_us, pose=pose, card=card),
                        Still(at_us=moved_us, pose=there, card=card),
                    ),
                )
                yield from film(
                    Episode(start_us=now_us, end_us=moved_us, still=(), flights=(flight,))
                )
                resting = Resting(key=key, card=card, pose=there)
                yield from film(
                    Episode(start_us=now_us, end_us=now_us + _REST_MS * 1000, still=(resting,))
                )
                pose = there
            yield from film(Episode(start_us=now_us, end_us=now_us + _EMPTY_MS * 1000, still=()))

    def close(self) -> None:
        """End after the frame at hand."""
        self._closed = True


# --- lines ---------------------------------------------------------------------------------------


def _news_line(news: News) -> Line:
    match news:
        case CardTaken():
            return {
                "kind": "taken",
                "at_us": news.at_us,
                "card": news.card,
                "views": news.views,
                "read": news.read,
                "confidence": round(news.confidence, 3),
            }
        case NotTaken():
            return {"kind": "not_taken", "at_us": news.at_us, "why": news.why}


def _verdict_line(verdict: Verdict) -> Line:
    return {
        "kind": "verdict",
        "card": verdict.card,
        "verdict": verdict.kind,
        "with": verdict.other,
        "text": said(verdict),
    }


def _kept_line(deck: Deck, verdicts: Sequence[Verdict], path: Path, seconds: float) -> Line:
    kinds = [v.kind for v in verdicts]
    return {
        "kind": "kept",
        "deck": deck.name,
        "path": str(path),
        "examples": len(deck.cards),
        "seconds": round(seconds, 1),
        "speaks_of": list(deck.memory.doubted),
        **{word.replace(" ", "_"): kinds.count(word) for word in _KINDS},
    }


_KINDS: Final[tuple[Literal["clear", "readable", "confused", "not seen"], ...]] = (
    "clear",
    "readable",
    "confused",
    "not seen",
)


def sentence(line: Line) -> str:
    """One line for a person at a terminal."""
    match line["kind"]:
        case "ask":
            return f"[{line['number']}/{line['of']}] show the {card_name(line['card'])}"
        case "taken":
            return f"  {_taken_words(line)}"
        case "not_taken":
            return f"  {line.get('image', 'not taken')}: {line['why']}"
        case "learning":
            return f"learning from {counted(line['examples'], 'picture')} of indices ..."
        case "verdict":
            return str(line["text"])
        case _:
            counts = ", ".join(f"{line[word.replace(' ', '_')]} {word}" for word in _KINDS)
            return (
                f"deck {line['deck']} is kept ({counts}; learned in {line['seconds']} s).\n"
                f"Play with it: upcard run --deck {_quoted(line['deck'])}"
            )


def _taken_words(line: Line) -> str:
    took = f"{card_name(line['card'])}: taken, {counted(line['views'], 'view')}"
    if line["read"] == line["card"]:
        return took
    if line["read"] is None or line["confidence"] < 0.5:
        return f"{took}; the reader did not know it"
    return f"{took}, though it reads as the {card_name(line['read'])}: see that it is the right one"


def _quoted(name: str) -> str:
    return f'"{name}"' if " " in name else name


def listing(folder: Path) -> list[Line]:
    """Every deck that was taught, as lines."""
    lines: list[Line] = []
    for deck in decks_in(folder):
        kinds = [v.split(" with ")[0] for v in deck.verdicts.values()]
        lines.append(
            {
                "deck": deck.name,
                "taught_on": deck.taught_on,
                "cards": sum(kind != "not seen" for kind in kinds),
                **{word.replace(" ", "_"): kinds.count(word) for word in _KINDS},
                "fault": deck.fault,
            }
        )
    return lines


def listed(line: Line) -> str:
    """One deck of a listing for a person."""
    if line["fault"]:
        return f"{line['deck']}: {line['fault']}"
    counts = ", ".join(
        f"{line[word.replace(' ', '_')]} {word}" for word in _KINDS if line[word.replace(" ", "_")]
    )
    return (
        f"{line['deck']}: taught {line['taught_on']}, {counted(line['cards'], 'card')} ({counts})"
    )
