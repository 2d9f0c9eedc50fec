"""Two-colour print made to look like that of a four-colour deck."""

from __future__ import annotations

import numpy as np
import pytest

from vision.training.colours import any_blue, any_green, printed_in

PAPER = (235, 245, 250)
RED, BLACK, BLUE = (30, 20, 210), (15, 15, 15), (200, 60, 20)


def corner(ink: tuple[int, int, int]) -> np.ndarray:
    """A corner (BGRA): paper on the right, ink on the left, nothing in the last row."""
    picture = np.zeros((10, 10, 4), np.uint8)
    picture[:9, :, :3], picture[:9, :, 3] = PAPER, 255
    picture[:9, :3, :3] = ink
    return picture


@pytest.mark.parametrize("ink", [RED, BLACK])
def test_ink_becomes_the_other_ink_and_paper_stays_paper(ink: tuple[int, int, int]) -> None:
    printed = corner(ink)
    blue = printed_in(printed, BLUE)
    assert np.abs(blue[0, 0, :3].astype(int) - BLUE).max() < 20
    assert np.abs(blue[0, 9, :3].astype(int) - PAPER).max() <= 1
    assert (blue[..., 3] == printed[..., 3]).all()
    assert tuple(printed[0, 0, :3]) == ink  # the picture given is left as it was


def test_half_a_pixel_of_ink_is_half_of_the_other_ink() -> None:
    picture = corner(BLACK)
    picture[0, 5, :3] = np.mean([BLACK, PAPER], axis=0)
    half = printed_in(picture, BLUE)[0, 5, :3].astype(int)
    assert np.abs(half - np.mean([BLUE, PAPER], axis=0)).max() < 12


def test_a_picture_of_nothing_stays_nothing() -> None:
    assert not printed_in(np.zeros((4, 4, 4), np.uint8), BLUE).any()


def test_greens_are_green_and_blues_are_blue() -> None:
    rng = np.random.default_rng(3)
    assert all(max(ink) == ink[1] for ink in (any_green(rng) for _ in range(200)))
    assert all(max(ink) == ink[0] for ink in (any_blue(rng) for _ in range(200)))
