"""A second opinion on the crops that the classifier is not sure of.

Two classifiers taught at different times err on different crops: what both say is right more often
than what either says at the same probability. Most crops are beyond doubt to the first, and
cost nothing more; the mean of both nets' logits is the answer to the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.classify import lots_of, softmax

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """The second classifier, and when it is asked.

    ``sure``: the first's word stands where it gives the rank and the suit this probability each;
    ``suitless`` are the columns of the rank head (jokers, "none") for which the rank is enough.
    """

    session: Any
    sure: float
    suitless: tuple[int, ...]

    def joined(self, rank: Floats, suit: Floats, crops: Floats) -> tuple[Floats, Floats]:
        """The first's logits (N x ranks, N x suits; "none" last) of ``crops``, the second heard."""
        ranks, suits = softmax(rank, 1.0), softmax(suit, 1.0)
        settled = np.isin(ranks.argmax(axis=1), self.suitless)
        settled |= suits[:, :-1].max(axis=1) >= self.sure
        doubtful = np.flatnonzero(~(settled & (ranks.max(axis=1) >= self.sure)))
        rank, suit = rank.copy(), suit.copy()
        for rows in lots_of(doubtful):
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
