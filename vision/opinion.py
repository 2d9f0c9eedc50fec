"""Three classifiers, each asked what the one before it is not sure of.

Most crops are beyond doubt: a quick net of a seventh of the work names them. The others are the
classifier's. Where that doubts too, a second one is heard: two taught at different times err on
different crops, and what both say is right more often than what either says at the same
probability. The mean of both nets' logits is the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.classify import softmax

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """From where a net's word is enough: the rank and the suit at probability ``sure`` each.

    ``suitless`` are the columns of the rank head (jokers, "none") for which the rank is enough.
    """

    sure: float
    suitless: tuple[int, ...]

    def reached(self, rank: Floats, suit: Floats) -> NDArray[np.bool_]:
        """By which rows (logits, N x ranks and N x suits, "none" last)."""
        ranks, suits = softmax(rank, 1.0), softmax(suit, 1.0)
        settled = np.isin(ranks.argmax(axis=1), self.suitless)
        settled |= suits[:, :-1].max(axis=1) >= self.sure
        found: NDArray[np.bool_] = settled & (ranks.max(axis=1) >= self.sure)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """The second classifier, and when it is asked: where the first does not reach ``bar``."""

    session: Any
    bar: Bar

    def joined(self, rank: Floats, suit: Floats, crops: Floats) -> tuple[Floats, Floats]:
        """The first's logits (N x ranks, N x suits; "none" last) of ``crops``, the second heard."""
        rank, suit = rank.copy(), suit.copy()
        rows = np.flatnonzero(~self.bar.reached(rank, suit))
        if len(rows):
            more, its = self.session.run(["rank", "suit"], {"crops": crops[rows]})
            rank[rows] = (rank[rows] + more) / 2
            suit[rows] = (suit[rows] + its) / 2
        return rank, suit


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoClassifiers:
    """Stands in for the classifier's session: the same question, both nets' answer.

    ``run`` takes and gives what the reader asks of ONNX Runtime: ``crops`` to the logits
    ``rank`` and ``suit``.
    """

    session: Any
    opinion: Opinion

    def run(self, names: Sequence[str], feeds: dict[str, Floats]) -> list[Floats]:
        """Logits of ``names`` for the crops in ``feeds``."""
        rank, suit = self.session.run(["rank", "suit"], feeds)
        rank, suit = self.opinion.joined(rank, suit, feeds["crops"])
        found = {"rank": rank, "suit": suit}
        return [found[name] for name in names]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuickFirst:
    """Stands in for ``then`` (a session, or what stands in for it), which is asked in doubt only.

    The word of the quick net's ``session`` stands for a crop that reaches ``alone``, and for one
    that reaches ``bar`` if another of the same question that does says the same, as a card's two
    indices do, or if it is "none".
    """

    session: Any
    bar: Bar
    alone: Bar
    then: Any

    def run(self, names: Sequence[str], feeds: dict[str, Floats]) -> list[Floats]:
        """Logits of ``names`` for the crops in ``feeds``: best those of one picture together."""
        crops = feeds["crops"]
        rank, suit = (part.copy() for part in self.session.run(["rank", "suit"], feeds))
        rows = np.flatnonzero(~self._settled(rank, suit))
        if len(rows):
            rank[rows], suit[rows] = self.then.run(["rank", "suit"], {"crops": crops[rows]})
        found = {"rank": rank, "suit": suit}
        return [found[name] for name in names]

    def _settled(self, rank: Floats, suit: Floats) -> NDArray[np.bool_]:
        reached = self.bar.reached(rank, suit)
        ranks, suits = rank.argmax(axis=1), suit[:, :-1].argmax(axis=1)
        said = np.where(
            np.isin(ranks, self.bar.suitless), -1 - ranks, ranks * suit.shape[1] + suits
        )
        _, which, counts = np.unique(said[reached], return_inverse=True, return_counts=True)
        seconded = ranks == rank.shape[1] - 1
        seconded[reached] |= counts[which] > 1
        settled: NDArray[np.bool_] = reached & seconded | self.alone.reached(rank, suit)
        return settled
