"""What a taught deck adds to the classifier: a memory of the glyphs that trouble it.

The examples of a taught deck are carried into the classifier's last hidden layer, in many
altered copies. There each rank and each suit has a middle, and all share one spread (linear
discriminant analysis, shrunk): a crop is as near to a rank as its distance in that measure.

The memory says nothing where it has nothing to add. It speaks only of names that the net
itself doubts *in the plain pictures it was taught from* (an odd font, a foreign letter, a
suit in its own colour), and only of crops as near to their examples as nearly all of those are,
and nearer than anything that is no index. Elsewhere, and on other decks, the net's answer
passes unchanged; so does a name that the net sees there and was not wrong about while the
deck was taught. Where it was wrong, the memory's name stands if the card that was taken for
this one was taught too, and neither name if not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.cards import HIGH_JOKER, LOW_JOKER, Card, is_joker
from vision.classify import LOTS, InLots, softmax
from vision.frame import Image
from vision.opinion import Opinion, QuickFirst, TwoClassifiers
from vision.reader import Reader, Settings

Floats = NDArray[np.float32]

#: Examples are kept with a margin around what the classifier sees, so that they can be
#: shifted and turned: height, width.
EXAMPLE_PX: Final = (72, 60)
#: Altered copies of each example, and crops beside it that show no index.
COPIES, ASIDE = 8, 3
#: Part of the spread that is taken as equal in all directions.
SHRINK = 0.5
#: The net doubts a name if it gives it less than this in so large a part of plain examples.
DOUBTED_BELOW, DOUBTED_SHARE = 0.9, 0.25
#: A mistake of the net counts as known if it was made in so large a part of plain examples.
KNOWN_MISTAKE = 0.1
#: A crop is near if this part of the examples' copies is no nearer ...
NEAR_SHARE = 0.97
#: ... and if it is nearer, by a fifth, than all but this part of what is no index.
ASIDE_SHARE, ASIDE_KEPT = 0.005, 0.8
#: A name that one card alone bears (a joker) is known by few examples: its bounds are closer.
LONE: Final = (HIGH_JOKER, LOW_JOKER)
LONE_SHARE = 0.5
#: Distances (squared) are divided by twice this: their likelihoods would be too sure.
SOFTENED = 3.0
#: No name is given more than this by the memory: less than what names a card from one index,
#: more than what each of two has to give (``vision.pair.Rules``). So a name that only the
#: memory gives takes two indices that say so. A disputed one gets no more than the second.
MOST, DISPUTED = 0.87, 0.6
#: The net sees another name there if it gives it as much as this.
RIVAL = 0.2
SEED = 7


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Head:
    """The memory of one head of the classifier: K names in a space of D measures.

    ``axes`` (F x D) carries hidden features there, ``middles`` (K x D) are the names',
    ``radius`` (K) is how far (squared) a crop may lie, ``doubted`` (K) marks those the net
    doubts. ``mistakes``: (true, read) pairs that the net makes on plain examples.
    """

    names: tuple[str, ...]
    axes: Floats
    middles: Floats
    radius: Floats
    doubted: NDArray[np.bool_]
    mistakes: frozenset[tuple[str, str]]

    def distances(self, features: Floats) -> Floats:
        """N x K squared distances of N x F features to every name's middle."""
        placed = features @ self.axes
        squares = (placed**2).sum(1)[:, None] + (self.middles**2).sum(1)[None]
        return np.asarray(np.maximum(squares - 2 * placed @ self.middles.T, 0), np.float32)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Memory:
    """What is remembered of a deck, for the classifier whose SHA-256 is ``classifier``."""

    rank: Head | None
    suit: Head | None
    classifier: str

    @property
    def doubted(self) -> tuple[str, ...]:
        """The ranks and suits it speaks of."""
        return tuple(
            name
            for head in (self.rank, self.suit)
            if head is not None
            for name, speaks in zip(head.names, head.doubted, strict=True)
            if speaks
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """What the classifier says of N crops: probabilities of ranks and suits, and its features."""

    rank: Floats
    suit: Floats
    features: Floats


def middle_of(example: Image, crop_px: tuple[int, int]) -> Image:
    """What the classifier sees of an example."""
    top, left = ((e - c) // 2 for e, c in zip(example.shape[:2], crop_px, strict=True))
    return example[top : top + crop_px[0], left : left + crop_px[1]]


def answers_of(session: Any, hidden: str, crops: Sequence[Image], settings: Settings) -> Answers:
    """Run the classifier with its hidden layer on upright crops (``settings.crop_px``)."""
    lot = LOTS[0]
    ranks, suits, features = [], [], []
    for k in range(0, len(crops), lot):
        part = crops[k : k + lot]
        batch = np.zeros((lot, 3, *settings.crop_px), np.float32)
        batch[: len(part)] = np.stack(part).transpose(0, 3, 1, 2)
        batch *= np.float32(1 / 255)
        rank, suit, feature = session.run(["rank", "suit", hidden], {"crops": batch})
        ranks.append(rank[: len(part)])
        suits.append(suit[: len(part)])
        features.append(feature[: len(part)])
    return Answers(
        rank=softmax(np.concatenate(ranks), settings.temperature_rank),
        suit=softmax(np.concatenate(suits), settings.temperature_suit),
        features=np.concatenate(features),
    )


def altered(example: Image, crop_px: tuple[int, int], rng: np.random.Generator) -> Image:
    """A copy as another moment might show it: pose, size in the picture, light, noise."""
    height, width = crop_px
    angle = np.radians(rng.normal(0, 4))
    grow_x, grow_y = np.exp(rng.normal(0, 0.06, 2))
    turn = np.array(
        [
            [np.cos(angle) * grow_x, -np.sin(angle) * grow_x],
            [np.sin(angle) * grow_y, np.cos(angle) * grow_y],
        ]
    )
    whole = np.array([example.shape[1], example.shape[0]]) / 2 - 0.5
    shift = np.array([width, height]) / 2 - 0.5 - turn @ whole + rng.normal(0, 1.8, 2)
    copy: NDArray[Any] = cv2.warpAffine(
        example, np.c_[turn, shift], (width, height), borderMode=cv2.BORDER_REPLICATE
    ).astype(np.float32)
    seen_px = float(np.exp(rng.uniform(np.log(9), np.log(40))))
    if seen_px < 34:
        small = cv2.resize(
            copy, None, fx=seen_px / 38, fy=seen_px / 38, interpolation=cv2.INTER_AREA
        )
        copy = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
    elif rng.random() < 0.5:
        copy = cv2.GaussianBlur(copy, (0, 0), rng.uniform(0.5, 2))
    light = np.exp(rng.normal(-0.2, 0.25)) * np.exp(rng.normal(0, 0.07, 3))
    copy = 255 * (np.clip(copy * light, 0, 255) / 255) ** np.exp(rng.normal(0, 0.2))
    copy = copy + rng.standard_normal(copy.shape, dtype=np.float32) * rng.uniform(0, 5)
    return np.asarray(np.clip(copy, 0, 255), np.uint8)


def aside(example: Image, crop_px: tuple[int, int], rng: np.random.Generator) -> Image:
    """A crop beside or across the example's index: turned round, on its side, or off its place."""
    whole = (example.shape[1] / 2 - 0.5, example.shape[0] / 2 - 0.5)
    kind = rng.random()
    angle, away = 180.0, np.zeros(2)
    if kind > 0.75:
        angle, away = 0.0, np.array([rng.uniform(-8, 8), rng.choice([-1, 1]) * rng.uniform(20, 30)])
    elif kind > 0.55:
        angle, away = 0.0, np.array([rng.choice([-1, 1]) * rng.uniform(16, 24), rng.uniform(-8, 8)])
    elif kind > 0.2:
        angle = float(rng.choice([90, -90])) + rng.normal(0, 10)
    matrix = cv2.getRotationMatrix2D(whole, angle, rng.uniform(0.8, 1.3))
    matrix = matrix + np.c_[np.zeros((2, 2)), away]
    moved = cv2.warpAffine(
        example, matrix, (example.shape[1], example.shape[0]), borderMode=cv2.BORDER_REPLICATE
    )
    return altered(np.asarray(moved, np.uint8), crop_px, rng)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lesson:
    """Everything the memory is fitted on: N examples, their altered copies, and what lies aside.

    Row k of ``plain`` is example k; rows k x COPIES and on of ``copies`` are its copies.
    """

    cards: tuple[Card, ...]
    plain: Answers
    copies: Answers
    beside: Answers


def lesson_of(
    session: Any,
    hidden: str,
    settings: Settings,
    examples: Sequence[Image] | NDArray[np.uint8],
    cards: Sequence[Card],
) -> Lesson:
    """Run the classifier over the examples (EXAMPLE_PX) and their copies; the slow part."""
    rng = np.random.default_rng(SEED)
    crop_px = settings.crop_px
    copies = [altered(e, crop_px, rng) for e in examples for _ in range(COPIES)]
    beside = [aside(e, crop_px, rng) for e in examples for _ in range(ASIDE)]
    plain = [middle_of(e, crop_px) for e in examples]
    return Lesson(
        cards=tuple(cards),
        plain=answers_of(session, hidden, plain, settings),
        copies=answers_of(session, hidden, copies, settings),
        beside=answers_of(session, hidden, beside, settings),
    )


def rank_label(card: Card) -> str:
    """A card's class in the rank head."""
    return card[0]


def suit_label(card: Card) -> str | None:
    """A card's class in the suit head; None for a joker, which has no suit."""
    return None if is_joker(card) else card[1]


def fit_head(
    lesson: Lesson,
    labels: Sequence[str | None],
    plain: Floats,
    classes: Sequence[str],
    *,
    keep: NDArray[np.bool_] | None = None,
) -> Head | None:
    """Fit one head on the examples that ``keep`` (N) allows; None with fewer than two names.

    ``labels``: the class of each example, None for those that have none; ``plain`` (N x
    classes): the net's probabilities of the plain examples.
    """
    allowed = np.array([label is not None for label in labels])
    if keep is not None:
        allowed &= keep
    names = tuple(sorted({str(label) for label, use in zip(labels, allowed, strict=True) if use}))
    if len(names) < 2:
        return None
    rows = np.nonzero(np.repeat(allowed, COPIES))[0]
    numbers = np.array(
        [names.index(str(label)) if use else -1 for label, use in zip(labels, allowed, strict=True)]
    )
    which = np.repeat(numbers, COPIES)[rows]
    features = lesson.copies.features[rows].astype(np.float64)
    means = np.stack([features[which == k].mean(axis=0) for k in range(len(names))])
    within = features - means[which]
    spread = within.T @ within / len(within)
    level = max(float(np.trace(spread)) / len(spread), 1e-6)
    spread = (1 - SHRINK) * spread + SHRINK * level * np.eye(len(spread))
    axes = np.linalg.cholesky(np.linalg.inv(spread)).astype(np.float32)
    head = Head(
        names=names,
        axes=axes,
        middles=(means @ axes).astype(np.float32),
        radius=np.zeros(len(names), np.float32),
        doubted=np.zeros(len(names), np.bool_),
        mistakes=frozenset(),
    )
    own = head.distances(lesson.copies.features[rows])[np.arange(len(rows)), which]
    off = head.distances(lesson.beside.features)
    radius, doubted = head.radius.copy(), head.doubted.copy()
    mistakes = set()
    for k, name in enumerate(names):
        lone = name in LONE
        radius[k] = np.quantile(own[which == k], LONE_SHARE if lone else NEAR_SHARE)
        radius[k] = min(radius[k], ASIDE_KEPT * float(np.quantile(off[:, k], ASIDE_SHARE)))
        mine = numbers == k
        given = plain[mine, classes.index(name)]
        doubted[k] = float((given < DOUBTED_BELOW).mean()) >= DOUBTED_SHARE
        best = plain[mine].argmax(axis=1)
        for number, read in enumerate(classes):
            if read not in (name, "-") and float((best == number).mean()) >= KNOWN_MISTAKE:
                mistakes.add((name, read))
    return replace(head, radius=radius, doubted=doubted, mistakes=frozenset(mistakes))


def fit_memory(
    lesson: Lesson,
    settings: Settings,
    *,
    classifier: str,
    keep: NDArray[np.bool_] | None = None,
) -> Memory:
    """Fit both heads; ``keep`` leaves examples out (to judge them by the others)."""
    return Memory(
        rank=fit_head(
            lesson,
            [rank_label(c) for c in lesson.cards],
            lesson.plain.rank,
            settings.ranks,
            keep=keep,
        ),
        suit=fit_head(
            lesson,
            [suit_label(c) for c in lesson.cards],
            lesson.plain.suit,
            settings.suits,
            keep=keep,
        ),
        classifier=classifier,
    )


def advised(
    head: Head | None, net: Floats, features: Floats, classes: Sequence[str]
) -> tuple[Floats, NDArray[np.bool_]]:
    """The net's probabilities (N x classes, the last "none") with the memory's word in them.

    The second answer marks the rows in which it spoke; all others are the net's own.
    """
    spoke = np.zeros(len(net), np.bool_)
    if head is None or not head.doubted.any():
        return net, spoke
    far = head.distances(features)
    best = far.argmin(axis=1)
    rows = np.arange(len(net))
    near = head.doubted[best] & (far[rows, best] <= head.radius[best])
    out = net.copy()
    for row in np.nonzero(near)[0]:
        name = head.names[best[row]]
        mistakes = {read for true, read in head.mistakes if true == name}
        other = {
            read: float(p)
            for read, p in zip(classes[:-1], net[row], strict=False)
            if read != name and p >= RIVAL
        }
        if other.keys() - mistakes:
            continue  # the net sees something that it was not wrong about: its word stands
        shares = softmax(-far[row : row + 1] / (2 * SOFTENED))[0]
        said = np.zeros(len(classes), np.float32)
        said[-1] = 1 - MOST
        for taught, share in zip(head.names, shares, strict=True):
            said[classes.index(taught)] += MOST * share
        if other.keys() - set(head.names):
            # the memory has never seen the card it was taken for, and cannot tell the two
            # apart: let a person say
            said *= min(1.0, DISPUTED / float(said.max()))
            said[-1] += 1 - float(said.sum())
        out[row] = said
        spoke[row] = True
    return out, spoke


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RememberingClassifier:
    """Stands in for the classifier's session: the same question, the memory's word in the answer.

    ``run`` takes and gives what the reader asks of ONNX Runtime: ``crops`` to the logits
    ``rank`` and ``suit``.
    """

    session: Any
    hidden: str
    memory: Memory
    settings: Settings
    #: Heard before the memory is, which speaks of the first's features.
    opinion: Opinion | None = None

    def run(self, names: Sequence[str], feeds: dict[str, Floats]) -> list[Floats]:
        """Logits of ``names`` for the crops in ``feeds``."""
        s = self.settings
        rank, suit, features = self.session.run(["rank", "suit", self.hidden], feeds)
        if self.opinion is not None:
            rank, suit = self.opinion.joined(rank, suit, feeds["crops"])
        found = {
            "rank": _logits(self.memory.rank, rank, features, s.ranks, s.temperature_rank),
            "suit": _logits(self.memory.suit, suit, features, s.suits, s.temperature_suit),
        }
        return [found[name] for name in names]


def _logits(
    head: Head | None, net: Floats, features: Floats, classes: Sequence[str], temperature: float
) -> Floats:
    said, spoke = advised(head, softmax(net, temperature), features, classes)
    if not spoke.any():
        return net
    out = net.copy()
    out[spoke] = temperature * np.log(np.maximum(said[spoke], 1e-6))
    return out


def reader_with(reader: Reader, session: Any, hidden: str, memory: Memory) -> Reader:
    """``reader`` with ``memory`` beside its classifier, which then sees every crop itself.

    ``session`` and ``hidden`` come from :func:`vision.features.open_classifier`.
    """
    first = reader.classifier
    if isinstance(first, QuickFirst):
        first = first.then  # the memory has to see every crop with the classifier's own features
    opinion = first.opinion if isinstance(first, TwoClassifiers | RememberingClassifier) else None
    return replace(
        reader,
        classifier=RememberingClassifier(
            session=InLots(session),
            hidden=hidden,
            memory=memory,
            settings=reader.settings,
            opinion=opinion,
        ),
    )
