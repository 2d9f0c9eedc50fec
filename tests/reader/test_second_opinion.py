"""The second classifier: when it is asked, and what becomes of its answer."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import models
from vision.classify import LOTS, lots_of
from vision.opinion import Opinion, TwoClassifiers
from vision.reader import BadMachineCard, load_reader

RANKS = ("K", "J", "B", "-")
SUITS = ("c", "s", "-")


class Says:
    """A classifier that answers each crop, known by its first pixel, with its logits."""

    def __init__(self, rank: list[list[float]], suit: list[list[float]]) -> None:
        self.rank, self.suit = np.array(rank, np.float32), np.array(suit, np.float32)
        self.asked: list[list[int]] = []

    def run(self, names: list[str], feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
        which = feeds["crops"][:, 0, 0, 0].astype(int)
        self.asked.append(which.tolist())
        found = {"rank": self.rank[which], "suit": self.suit[which]}
        return [found[name] for name in names]


def crops(count: int) -> np.ndarray:
    pixels = np.zeros((count, 3, 2, 2), np.float32)
    pixels[:, 0, 0, 0] = np.arange(count)
    return pixels


SURE_KING, KING, JOKER, NONE = [20, 0, 0, 0], [1, 0, 0, 0], [0, 0, 20, 0], [0, 0, 0, 20]
SURE_CLUBS, CLUBS, FLAT = [20, 0, 0], [1, 0, 0], [0, 0, 0]


@pytest.mark.parametrize(
    ("rank", "suit", "asked"),
    [
        (SURE_KING, SURE_CLUBS, False),
        (SURE_KING, CLUBS, True),
        (KING, SURE_CLUBS, True),
        (JOKER, FLAT, False),  # it has no suit
        (NONE, FLAT, False),
    ],
)
def test_the_second_is_asked_where_the_first_is_not_beyond_doubt(
    rank: list[float], suit: list[float], asked: bool
) -> None:
    first, second = Says([rank], [suit]), Says([[4, 8, 0, 0]], [[2, 6, 0]])
    both = TwoClassifiers(
        session=first, opinion=Opinion(session=second, sure=0.99, suitless=(2, 3))
    )
    its_rank, its_suit = both.run(["rank", "suit"], {"crops": crops(1)})
    assert second.asked == ([[0]] if asked else [])
    assert its_rank[0].tolist() == ((np.add(rank, [4, 8, 0, 0]) / 2).tolist() if asked else rank)
    assert its_suit[0].tolist() == ((np.add(suit, [2, 6, 0]) / 2).tolist() if asked else suit)


def test_each_answer_goes_to_its_own_crop() -> None:
    rng = np.random.default_rng(2)
    count = 41
    rank, suit = rng.normal(0, 1, (count, 4)), rng.normal(0, 1, (count, 3))
    sure = rng.random(count) < 0.4
    rank[sure], suit[sure] = SURE_KING, SURE_CLUBS
    first = Says(rank.tolist(), suit.tolist())
    second = Says(rng.normal(0, 1, (count, 4)).tolist(), rng.normal(0, 1, (count, 3)).tolist())
    opinion = Opinion(session=second, sure=0.99, suitless=(2, 3))
    got_rank, got_suit = opinion.joined(first.rank, first.suit, crops(count))
    mean_rank, mean_suit = (first.rank + second.rank) / 2, (first.suit + second.suit) / 2
    assert np.allclose(got_rank, np.where(sure[:, None], first.rank, mean_rank))
    assert np.allclose(got_suit, np.where(sure[:, None], first.suit, mean_suit))
    assert sorted(k for lot in second.asked for k in lot) == np.flatnonzero(~sure).tolist()
    assert {len(lot) for lot in second.asked} <= set(LOTS)
    assert np.array_equal(first.rank, np.array(rank, np.float32))  # what was given is left alone


@pytest.mark.parametrize("count", [0, 1, 3, 16, 37])
def test_lots_hold_every_row_once_and_in_order(count: int) -> None:
    rows = np.arange(100, 100 + count)
    lots = list(lots_of(rows))
    assert [row for lot in lots for row in lot] == rows.tolist()
    assert {len(lot) for lot in lots} <= set(LOTS)


def test_the_shipped_reader_asks_a_second_classifier() -> None:
    reader = load_reader(threads=1)
    assert isinstance(reader.classifier, TwoClassifiers)
    assert reader.settings.sure == reader.classifier.opinion.sure
    names = [reader.settings.ranks[k] for k in reader.classifier.opinion.suitless]
    assert sorted(names) == ["-", "B", "b"]


def shipped_in(folder: Path) -> Path:
    source = Path(models.__file__).parent
    for path in (*source.glob("*.onnx"), source / models.MACHINE_CARD):
        shutil.copy(path, folder / path.name)
    return folder / models.MACHINE_CARD


def test_models_without_a_second_classifier_are_read_as_before(tmp_path: Path) -> None:
    card = shipped_in(tmp_path)
    kept = [part for part in card.read_text().split("\n[") if not part.startswith("second]")]
    card.write_text("\n[".join(kept))
    reader = load_reader(models_dir=tmp_path)
    assert not isinstance(reader.classifier, TwoClassifiers)
    assert reader.settings.sure is None


def test_a_card_that_does_not_say_when_to_ask_is_refused(tmp_path: Path) -> None:
    card = shipped_in(tmp_path)
    lines = card.read_text().splitlines()
    card.write_text("\n".join(line for line in lines if not line.startswith("sure = 0.99")))
    with pytest.raises(BadMachineCard, match="sure"):
        load_reader(models_dir=tmp_path)
