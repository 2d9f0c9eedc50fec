"""The inks of four-colour decks: clubs are green there, and diamonds blue."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Blue, green, red.
Ink = tuple[int, int, int]


def any_green(rng: np.random.Generator) -> Ink:
    return int(rng.integers(0, 80)), int(rng.integers(85, 155)), int(rng.integers(0, 70))


def any_blue(rng: np.random.Generator) -> Ink:
    return int(rng.integers(130, 245)), int(rng.integers(20, 120)), int(rng.integers(0, 80))


def printed_in(picture: NDArray[np.uint8], ink: Ink) -> NDArray[np.uint8]:
    """A picture (BGRA) of black or of red print on light paper, in another ink.

    The paper is its brighter tenth. Black ink darkens every channel and red ink all but its
    own, so the green one tells how much ink there is of either.
    """
    printed = picture.copy()
    shown = picture[..., 3] > 128
    if not shown.any():
        return printed
    colours = picture[..., :3].astype(np.float32)
    paper = np.maximum(np.percentile(colours[shown], 90, axis=0), 1).astype(np.float32)
    depth = np.clip(1 - colours[..., 1:2] / paper[1], 0, 1)
    printed[..., :3] = np.rint(paper * (1 - depth) + np.array(ink, np.float32) * depth)
    return printed
