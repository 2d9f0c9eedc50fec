"""A camera that makes a small picture itself: motion is looked for there, all else is the same."""

from __future__ import annotations

import numpy as np
import pytest

from engine.sightings import CardLeft, CardRested, TableCleared
from vision.frame import Frame
from vision.motion import Gate


@pytest.mark.parametrize("small_px", [0, 320, 640])
def test_a_trick_reads_the_same_with_the_cameras_small_picture_and_without(
    tabletop, small_px: int
) -> None:
    table = tabletop(fps=10, scale=2.0, small_px=small_px)
    played = [
        table.lay(card, seat, 1.0 + 1.1 * i)
        for i, (card, seat) in enumerate((("Qd", 0), ("Ad", 1), ("9d", 2), ("Td", 3)))
    ]
    table.take(played, 1, 5.6)
    sightings = table.watch(7.0)
    rested = [s for s in sightings if isinstance(s, CardRested)]
    assert [(s.card, s.place.seat) for s in rested] == [("Qd", 0), ("Ad", 1), ("9d", 2), ("Td", 3)]
    assert [type(s) for s in sightings[4:]] == [CardLeft] * 4 + [TableCleared]
    for number, sighting in enumerate(rested):
        assert abs(sighting.at_us - (1_000_000 + 1_100_000 * number)) <= 200_000


def grey(level: int, size: tuple[int, int]) -> np.ndarray:
    return np.full((size[1], size[0], 3), level, np.uint8)


def test_motion_is_looked_for_in_the_small_picture() -> None:
    gate = Gate()
    large = grey(90, (1920, 1080))
    for number in range(5):
        small = grey(90, (640, 360))
        small[100:200, 100 + 60 * number : 160 + 60 * number] = 230
        look = gate.look(Frame(at_us=number * 100_000, image=large, small=small))
    assert look.moved.any()
    # Places are told in pixels of the large picture all the same.
    assert (look.width_px, look.scale_x) == (1920, 6.0)
    rows, columns = np.nonzero(look.moved)
    assert 100 * 3 - 60 <= rows.min() * look.scale_y <= 100 * 3 + 60
    assert columns.max() * look.scale_x == pytest.approx((160 + 60 * 4) * 3, abs=60)


def test_a_small_picture_that_is_too_small_is_not_used() -> None:
    gate = Gate()
    for number in range(5):
        large = grey(90, (1920, 1080))
        large[300:600, 300 + 180 * number : 480 + 180 * number] = 230
        look = gate.look(Frame(at_us=number * 100_000, image=large, small=grey(90, (160, 90))))
    assert look.moved.any()
