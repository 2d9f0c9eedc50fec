"""An index that the picture's edge cuts off may be another's: it names nothing by itself."""

from __future__ import annotations

import numpy as np
import pytest

from vision.classify import CUT_MOST, CUT_OFF, cut_off, read_spots
from vision.find import IndexSpot
from vision.pair import Rules

RANKS = (*"23456789TJQKABb", "-")
SUITS = (*"cdhs", "-")
WIDTH, HEIGHT = 640, 480
PX = 30.0


def spot_at(x: float, y: float, up: tuple[float, float] = (0.0, -1.0)) -> IndexSpot:
    return IndexSpot(
        x=x, y=y, up_x=up[0], up_y=up[1], height_px=PX, middle_x=x, middle_y=y, card_px=180,
        score=0.9, seen_px=PX,
    )  # fmt: skip


class SureOfTheKingOfHearts:
    """A classifier that never doubts."""

    def run(self, names: list[str], feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
        n = len(feeds["crops"])
        rank, suit = np.zeros((n, 16), np.float32), np.zeros((n, 5), np.float32)
        rank[:, RANKS.index("K")] = suit[:, SUITS.index("h")] = 20
        return [rank, suit]


def confidence_at(x: float, y: float, up: tuple[float, float] = (0.0, -1.0)) -> float:
    (reading,) = read_spots(
        SureOfTheKingOfHearts(),
        np.zeros((HEIGHT, WIDTH, 3), np.uint8),
        [spot_at(x, y, up)],
        crop_px=(56, 44),
        index_px=38,
        ranks=RANKS,
        suits=SUITS,
        temperature_rank=1,
        temperature_suit=1,
    )
    assert str(reading.card) == "Kh"
    return reading.confidence


@pytest.mark.parametrize(
    ("x", "y", "up", "out"),
    [
        (320, 240, (0, -1), -7.5),
        (320, 15, (0, -1), 0.0),  # upright at the upper edge: half its height
        (320, 9, (0, -1), 0.2),
        (320, 474, (0, 1), 0.3),
        (7.5, 240, (0, -1), 0.0),  # half its width at the left edge
        (4.5, 240, (0, 1), 0.1),
        (635.5, 240, (1, 0), 0.35),  # on its side at the right edge
    ],
)
def test_how_far_an_index_reaches_out_is_told_in_its_heights(
    x: float, y: float, up: tuple[float, float], out: float
) -> None:
    assert cut_off(spot_at(x, y, up), WIDTH, HEIGHT) == pytest.approx(out)


def test_an_index_at_the_edge_is_as_sure_as_any_until_a_part_of_it_is_cut_off() -> None:
    inside = PX / 2 - CUT_OFF * PX + 0.5
    assert confidence_at(320, 240) > 0.99
    assert confidence_at(320, inside) > 0.99
    for x, y, up in (
        (320, inside - 1, (0.0, -1.0)),
        (320, HEIGHT - inside + 1, (0.0, 1.0)),
        (inside - 1, 240, (1.0, 0.0)),
        (WIDTH - inside + 1, 240, (-1.0, 0.0)),
    ):
        assert confidence_at(x, y, up) == CUT_MOST


def test_half_an_index_names_no_card_by_itself() -> None:
    assert confidence_at(320, 0) < Rules().alone
