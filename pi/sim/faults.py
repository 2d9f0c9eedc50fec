"""Faults made on purpose: a reader that is wrong now and then."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from pi.sim.script import PACK
from vision.frame import Image
from vision.ports import Box, Detection


class RegionReader(Protocol):
    """A card reader that can be told to look at parts of the picture only."""

    def read(self, image: Image, regions: Sequence[Box] | None = None) -> tuple[Detection, ...]: ...


class MisreadingReader:
    """Names one card of a picture wrongly, with full confidence, in a share of the pictures."""

    def __init__(self, reader: RegionReader, *, share: float, seed: int) -> None:
        self._reader = reader
        self._share = share
        self._rng = random.Random(f"misread {seed}")
        self.pictures = 0
        self.misread = 0

    def read(self, image: Image, regions: Sequence[Box] | None = None) -> tuple[Detection, ...]:
        found = list(self._reader.read(image, regions))
        self.pictures += 1
        named = [i for i, detection in enumerate(found) if detection.card is not None]
        if named and self._rng.random() < self._share:
            at = self._rng.choice(named)
            right = found[at]
            wrong = self._rng.choice([card for card in PACK if card != right.card])
            votes = ((wrong, 0.995), *((card, p * 0.005) for card, p in right.votes))
            found[at] = replace(
                right, kind="card", card=wrong, confidence=0.995, votes=votes, why=None
            )
            self.misread += 1
        return tuple(found)
