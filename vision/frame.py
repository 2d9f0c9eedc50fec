"""A picture with its moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

#: Height x width x 3, blue-green-red (OpenCV's order), 8 bits.
Image: TypeAlias = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frame:
    """One picture of the table. It owns its memory: no camera buffer is held through it.

    ``at_us`` is the moment of exposure in microseconds on the source's own clock
    (a clip's stamps, the camera's clock); it never runs backwards within a source. ``small`` is
    the same view, smaller, where the camera makes one by itself: enough to see motion in.
    """

    at_us: int
    image: Image
    small: Image | None = None
