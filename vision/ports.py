"""What vision needs from outside, and what it hands from stage to stage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from engine.cards import Card
from vision.frame import Frame, Image

#: x0, y0, x1, y1 in pixels of the picture that was read.
Box: TypeAlias = tuple[float, float, float, float]
#: The card's four corners in pixels, clockwise, starting top left of the upright face.
Quad: TypeAlias = tuple[
    tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]
]

#: card: named. unsure: something that looks like a card or index and is not named.
#: back: a face-down card.
DetectionKind: TypeAlias = Literal["card", "unsure", "back"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """What the reader says of one card in one picture.

    ``card`` is set when ``kind`` is ``card``; for ``unsure`` it is the best guess or None
    (nothing better than a guess: ``foreign``). ``votes`` are the likeliest names with their
    calibrated probabilities, best first. ``why`` says why it is unsure: ``low``,
    ``duplicate``, ``foreign``, ``conflict``. ``box`` encloses what is visible of the card;
    ``quad`` is its outline where the pose is known.
    """

    kind: DetectionKind
    card: Card | None
    confidence: float
    box: Box
    quad: Quad | None = None
    votes: tuple[tuple[Card, float], ...] = ()
    why: str | None = None


class CardReader(Protocol):
    """Reads every card in one picture. Holds no memory of earlier pictures."""

    def read(self, image: Image, regions: Sequence[Box] | None = None) -> tuple[Detection, ...]:
        """Read the whole picture, or only what lies in ``regions`` (boxes of ``image``).

        Boxes of the answer are always in pixels of the whole ``image``.
        """
        ...


class FrameSource(Protocol):
    """A camera, a clip or the simulated table: frames in order of time until it ends."""

    def frames(self) -> Iterator[Frame]: ...

    def close(self) -> None: ...


class EvidenceStore(Protocol):
    """Keeps the pictures that a play, a finding or a review rests on."""

    def keep(self, image: Image) -> str | None:
        """Store the picture and return its name (its hash); the same picture twice is one.

        None where it could not be kept and play shall go on without it.
        """
        ...
