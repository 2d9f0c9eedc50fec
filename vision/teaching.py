"""Teaching a deck: cards shown one at a time, what was learned of each, and the reader for it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

import models
from engine.cards import ALL_CARDS, Card, card_name
from vision.classify import IndexReading, angle_between, cut_upright
from vision.decks import Deck, checked_name
from vision.errors import VisionError
from vision.features import open_classifier
from vision.find import IndexSpot
from vision.frame import Frame, Image
from vision.memory import (
    EXAMPLE_PX,
    Answers,
    Lesson,
    Memory,
    advised,
    fit_memory,
    lesson_of,
    reader_with,
)
from vision.pair import Group, name_group, same_card
from vision.reader import Reader

#: An index counts as shown from this score of the finder on; the best of a card from the second.
SEEN, LEAD = 0.3, 0.4
#: A card rests when its index has moved less than this part of its height, for so long.
STILL_SHARE, REST_US = 0.15, 400_000
#: Another place: moved by this many index heights, or turned by so many degrees.
OTHER_PLACE, OTHER_TURN_DEG = 1.0, 8.0
#: A card that is not moved is looked at again after this long.
AGAIN_US = 1_500_000
#: A card is gone when no index was seen for so long.
GONE_US = 300_000
#: Placings that make a card known, and indices kept of each.
VIEWS, INDICES = 3, 4
#: Part of a card's examples that have to be read for the better verdict.
MOST_OF_THEM = 0.75
FOLDS = 3

VerdictKind: TypeAlias = Literal["clear", "readable", "confused", "not seen"]


class NothingTaught(VisionError, ValueError):
    """No card, or only one, was seen: there is nothing to remember."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What teaching says of one card.

    ``clear``: the net names it by itself. ``readable``: it does with what was learned.
    ``confused``: even so it is not read, or taken for ``other``. ``not seen``: never shown.
    """

    card: Card
    kind: VerdictKind
    other: Card | None = None

    @property
    def words(self) -> str:
        """As it is kept and printed: ``confused with 8c``."""
        return f"{self.kind} with {self.other}" if self.other is not None else self.kind


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Example:
    """One index of a card, upright (72 x 60 x 3), from the card's placing number ``view``."""

    card: Card
    view: int
    crop: Image


@dataclass(frozen=True, slots=True, kw_only=True)
class CardTaken:
    """A card was looked at often enough, or taken away: ``views`` placings of it are kept.

    ``read``: what the net read by itself, and how surely.
    """

    at_us: int
    card: Card
    views: int
    read: Card | None
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NotTaken:
    """A card lay still and could not be used; ``why`` is a sentence with the cure."""

    at_us: int
    why: str


News: TypeAlias = CardTaken | NotTaken


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The one card in a picture: its indices, best first, and what the reader calls it."""

    readings: tuple[IndexReading, ...]
    name: Card | None
    confidence: float
    sure: bool

    @property
    def lead(self) -> IndexSpot:
        """The index it is followed by."""
        return self.readings[0].spot


def shown_in(reader: Reader, image: Image) -> Shown | str | None:
    """The card shown, None where there is none, a sentence where there are several."""
    readings, _ = reader.readings(image)
    able = sorted(
        (r for r in readings if r.spot.score >= SEEN),
        key=lambda r: -(r.spot.score + 0.3 * r.confidence),
    )
    if not able or able[0].spot.score < LEAD:
        return None
    lead = able[0]
    own = [lead, *_others_of(lead, able[1:])]
    name, confidence, why = name_group(
        Group(readings=tuple(sorted(own, key=lambda r: -r.confidence))), reader.settings.rules
    )
    sure = reader.settings.rules.alone
    apart = [
        r
        for r in able
        if not any(r is o for o in own)
        and r.confidence >= sure
        and math.hypot(r.spot.middle_x - lead.spot.middle_x, r.spot.middle_y - lead.spot.middle_y)
        > 0.5 * lead.spot.card_px
    ]
    if apart:
        return "several cards are in view: show one at a time"
    return Shown(
        readings=tuple(own), name=name, confidence=confidence, sure=why is None and name is not None
    )


def _others_of(lead: IndexReading, rest: Sequence[IndexReading]) -> list[IndexReading]:
    """The other indices of the card: the one opposite, and those that read the same.

    Pips and pictures are taken for indices now and then; as examples they would spoil all.
    """
    own: list[IndexReading] = []
    for other in rest:
        fits = same_card(lead, other, slack=0.5) or same_card(other, lead, slack=0.5)
        if not fits or not 0.8 < other.spot.height_px / lead.spot.height_px < 1.25:
            continue
        opposite = angle_between(lead.spot, other.spot) > 148
        first = opposite and not any(angle_between(lead.spot, o.spot) > 148 for o in own)
        same = other.card is not None and other.card == lead.card
        agrees = same and min(other.confidence, lead.confidence) >= 0.5
        if (first or agrees) and len(own) < INDICES - 1:
            own.append(other)
    return own


def examples_of(image: Image, shown: Shown, card: Card, view: int, reader: Reader) -> list[Example]:
    """The indices of the shown card, cut upright."""
    return [
        Example(
            card=card,
            view=view,
            crop=cut_upright(
                image, r.spot, crop_px=EXAMPLE_PX, index_px=reader.settings.crop_index_px
            ),
        )
        for r in shown.readings
    ]


class Teaching:
    """Fed with frames in order of time; takes each card once it rests, a few placings of it.

    ``order``: the cards asked for, one after the other; None takes the name the reader is
    sure of, in any order (a card it is not sure of is then refused). A card that is taken
    away and shown again later counts anew, with more views.
    """

    def __init__(
        self, reader: Reader, *, order: Sequence[Card] | None = None, views: int = VIEWS
    ) -> None:
        self.examples: list[Example] = []
        self._reader = reader
        self._order = list(order) if order is not None else None
        self._views = views
        self._view = 0
        self._current: Card | None = None
        self._taken: list[tuple[IndexSpot, int]] = []
        self._told = False
        self._read: tuple[Card | None, float] = (None, 0.0)
        self._last: IndexSpot | None = None
        self._still_us = 0
        self._seen_us: int | None = None

    @property
    def asked(self) -> Card | None:
        """The card that has to be shown next; None where any will do, or all were shown."""
        return self._order[0] if self._order else None

    @property
    def done(self) -> bool:
        """Whether every card asked for was taken."""
        return self._order is not None and not self._order

    def see(self, frame: Frame) -> tuple[News, ...]:
        """Look at one frame; what came of it."""
        shown = shown_in(self._reader, frame.image)
        if shown is None:
            if self._seen_us is not None and frame.at_us - self._seen_us >= GONE_US:
                return self._gone(frame.at_us)
            return ()
        self._seen_us = frame.at_us
        if isinstance(shown, str):
            return self._refuse(frame.at_us, shown)
        lead = shown.lead
        if self._last is None or _moved(self._last, lead, STILL_SHARE, 4.0):
            self._last, self._still_us = lead, frame.at_us
            return ()
        if frame.at_us - self._still_us < REST_US:
            return ()
        news: tuple[News, ...] = ()
        if self._swapped(shown):
            news = self._gone(frame.at_us)
            self._seen_us, self._last, self._still_us = frame.at_us, lead, frame.at_us
        return news + self._take(frame, shown)

    def picture(self, image: Image, card: Card | None = None) -> News:
        """One still picture of one card: ``card``, or what the reader is sure of."""
        shown = shown_in(self._reader, image)
        if shown is None:
            return NotTaken(at_us=0, why="no card's index is seen: show it nearer, in more light")
        if isinstance(shown, str):
            return NotTaken(at_us=0, why=shown)
        if card is None and not shown.sure:
            return NotTaken(at_us=0, why=_UNNAMED)
        name = card if card is not None else shown.name
        assert name is not None
        self._view += 1
        self.examples += examples_of(image, shown, name, self._view, self._reader)
        return CardTaken(at_us=0, card=name, views=1, read=shown.name, confidence=shown.confidence)

    def end(self, at_us: int) -> tuple[News, ...]:
        """The source has ended: what was begun is kept."""
        return self._gone(at_us)

    def _take(self, frame: Frame, shown: Shown) -> tuple[News, ...]:
        if len(self._taken) >= self._views:
            return ()
        if self._taken:
            spot, at_us = self._taken[-1]
            elsewhere = _moved(spot, shown.lead, OTHER_PLACE, OTHER_TURN_DEG)
            if not elsewhere and frame.at_us - at_us < AGAIN_US:
                return ()
        else:
            if self._order is None:
                if not shown.sure:
                    return self._refuse(frame.at_us, _UNNAMED)
                self._current = shown.name
            elif self._order:
                self._current = self._order[0]
            else:
                return ()
            self._read = (shown.name, shown.confidence)
        assert self._current is not None
        self._view += 1
        self._taken.append((shown.lead, frame.at_us))
        self.examples += examples_of(frame.image, shown, self._current, self._view, self._reader)
        if len(self._taken) < self._views:
            return ()
        return (self._finished(frame.at_us),)

    def _finished(self, at_us: int) -> CardTaken:
        assert self._current is not None
        if self._order and self._order[0] == self._current:
            self._order.pop(0)
        read, confidence = self._read
        return CardTaken(
            at_us=at_us,
            card=self._current,
            views=len(self._taken),
            read=read,
            confidence=confidence,
        )

    def _gone(self, at_us: int) -> tuple[News, ...]:
        news: tuple[News, ...] = ()
        if 0 < len(self._taken) < self._views:
            news = (self._finished(at_us),)
        self._current, self._taken, self._told = None, [], False
        self._last, self._seen_us = None, None
        return news

    def _swapped(self, shown: Shown) -> bool:
        """Whether another card lies there than the one that was taken, with no gap between."""
        before, how_sure = self._read
        sure = self._reader.settings.rules.alone
        return (
            bool(self._taken and shown.sure and before is not None and how_sure >= sure)
            and shown.name != before
        )

    def _refuse(self, at_us: int, why: str) -> tuple[News, ...]:
        # said once for each card, not for each frame
        if self._told:
            return ()
        self._told = True
        return (NotTaken(at_us=at_us, why=why),)


_UNNAMED = (
    "this card cannot be named for certain: give its name (a picture called Kh.jpg, or cards "
    "shown in the order asked for)"
)


def _moved(one: IndexSpot, two: IndexSpot, heights: float, degrees: float) -> bool:
    far = math.hypot(one.x - two.x, one.y - two.y) > heights * max(one.height_px, 1.0)
    return far or angle_between(one, two) > degrees


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Studio:
    """The reader and its classifier opened so that its hidden layer is seen."""

    reader: Reader
    session: Any
    hidden: str
    classifier: str


def open_studio(reader: Reader, *, threads: int = 2, models_dir: Path | None = None) -> Studio:
    """Open what teaching needs beside ``reader``.

    Raises ``models.ModelError`` or ``vision.features.NoFeatures``.
    """
    session, hidden = open_classifier(threads=threads, models_dir=models_dir)
    sha256 = str(models.machine_card(models_dir)["classifier"]["sha256"])
    return Studio(reader=reader, session=session, hidden=hidden, classifier=sha256)


def learn(
    studio: Studio,
    examples: Sequence[Example],
    *,
    name: str,
    taught_on: str,
    wanted: Sequence[Card] = (),
) -> tuple[Deck, tuple[Verdict, ...]]:
    """The deck to keep, and a verdict for every card of ``examples`` and of ``wanted``.

    Raises :class:`NothingTaught` or ``vision.decks.BadDeckName``.
    """
    checked_name(name)
    cards = tuple(e.card for e in examples)
    if len(set(cards)) < 2:
        raise NothingTaught(
            f"{len(set(cards))} card seen, and a deck needs two or more: show them one at a time, "
            "flat, in good light"
        )
    crops = np.stack([e.crop for e in examples])
    lesson = lesson_of(studio.session, studio.hidden, studio.reader.settings, crops, cards)
    memory = fit_memory(lesson, studio.reader.settings, classifier=studio.classifier)
    verdicts = _verdicts(studio, lesson, [e.view for e in examples], wanted)
    deck = Deck(
        name=name,
        taught_on=taught_on,
        cards=cards,
        views=tuple(e.view for e in examples),
        examples=crops,
        memory=memory,
        verdicts={v.card: v.words for v in verdicts},
    )
    return deck, verdicts


def _verdicts(
    studio: Studio, lesson: Lesson, views: Sequence[int], wanted: Sequence[Card]
) -> tuple[Verdict, ...]:
    """Each card is judged by a memory that was not taught the very placing it is judged on."""
    s = studio.reader.settings
    folds = _folds(lesson.cards, views)
    alone = _named(lesson.plain.rank, lesson.plain.suit, s.ranks, s.suits)
    helped: list[tuple[Card | None, float]] = [(None, 0.0)] * len(lesson.cards)
    for fold in range(FOLDS):
        judged = folds == fold
        if not judged.any():
            continue
        memory = fit_memory(lesson, s, classifier=studio.classifier, keep=~judged)
        rank, suit = _advice(memory, lesson.plain, s.ranks, s.suits)
        for k, named in enumerate(_named(rank, suit, s.ranks, s.suits)):
            if judged[k]:
                helped[k] = named
    verdicts = []
    for card in sorted({*lesson.cards, *wanted}, key=ALL_CARDS.index):
        mine = [k for k, c in enumerate(lesson.cards) if c == card]
        if not mine:
            verdicts.append(Verdict(card=card, kind="not seen"))
            continue
        by_itself = np.mean([alone[k][0] == card and alone[k][1] >= s.rules.alone for k in mine])
        with_help = np.mean([helped[k][0] == card and helped[k][1] >= 0.5 for k in mine])
        if by_itself >= MOST_OF_THEM:
            verdicts.append(Verdict(card=card, kind="clear"))
        elif with_help >= MOST_OF_THEM:
            verdicts.append(Verdict(card=card, kind="readable"))
        else:
            others = Counter(
                name
                for name, p in (helped[k] for k in mine)
                if name is not None and name != card and p >= 0.3
            )
            other = others.most_common(1)[0][0] if others else None
            verdicts.append(Verdict(card=card, kind="confused", other=other))
    return tuple(verdicts)


def _advice(
    memory: Memory, answers: Answers, ranks: Sequence[str], suits: Sequence[str]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    return (
        advised(memory.rank, answers.rank, answers.features, ranks)[0],
        advised(memory.suit, answers.suit, answers.features, suits)[0],
    )


def _folds(cards: Sequence[Card], views: Sequence[int]) -> NDArray[np.int64]:
    """Placings of one card fall into different folds; with one placing, its indices do."""
    folds = np.zeros(len(cards), np.int64)
    for card in set(cards):
        mine = [k for k, c in enumerate(cards) if c == card]
        placings = sorted({views[k] for k in mine})
        for order, k in enumerate(mine):
            folds[k] = (placings.index(views[k]) if len(placings) > 1 else order) % FOLDS
    return folds


def _named(
    rank: NDArray[np.float32],
    suit: NDArray[np.float32],
    ranks: Sequence[str],
    suits: Sequence[str],
) -> list[tuple[Card | None, float]]:
    """The likeliest name of each row and its probability; None where that is no rank."""
    named: list[tuple[Card | None, float]] = []
    for r, s in zip(rank, suit, strict=True):
        best = ranks[int(r.argmax())]
        if best == "-":
            named.append((None, 0.0))
        elif best in "Bb":
            named.append((Card(best), float(r.max())))
        else:
            k = int(s[: len(suits) - 1].argmax())
            named.append((Card(best + suits[k]), float(r.max() * s[k])))
    return named


def reader_for(
    reader: Reader, deck: Deck, *, threads: int = 2, models_dir: Path | None = None
) -> Reader:
    """``reader`` with what it was taught of ``deck``.

    A deck taught with another classifier is fitted again from its examples (some seconds).
    Raises ``models.ModelError`` or ``vision.features.NoFeatures``.
    """
    studio = open_studio(reader, threads=threads, models_dir=models_dir)
    memory = deck.memory
    if memory.classifier != studio.classifier:
        memory = refitted(studio, deck).memory
    return reader_with(reader, studio.session, studio.hidden, memory)


def refitted(studio: Studio, deck: Deck) -> Deck:
    """The deck with a memory for the classifier of ``studio``, from its kept examples."""
    lesson = lesson_of(
        studio.session, studio.hidden, studio.reader.settings, deck.examples, deck.cards
    )
    memory = fit_memory(lesson, studio.reader.settings, classifier=studio.classifier)
    return replace(deck, memory=memory)


def said(verdict: Verdict) -> str:
    """A verdict for a person at the table."""
    name = card_name(verdict.card)
    match verdict.kind:
        case "clear":
            return f"{name}: clear"
        case "readable":
            return f"{name}: readable with what was learned"
        case "confused" if verdict.other is not None:
            return f"{name}: confused with the {card_name(verdict.other)}"
        case "confused":
            return f"{name}: not told apart; it will be asked about"
        case "not seen":
            return f"{name}: not seen"
