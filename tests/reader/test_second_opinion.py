"""The three classifiers: when each is asked, and what becomes of its answer."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import models
from vision.classify import LOTS, InLots
from vision.opinion import Bar, Opinion, QuickFirst, TwoClassifiers
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
BAR = Bar(sure=0.99, suitless=(2, 3))

#: What a net says of one crop, and whether the next one is asked about it.
doubts = pytest.mark.parametrize(
    ("rank", "suit", "asked"),
    [
        (SURE_KING, SURE_CLUBS, False),
        (SURE_KING, CLUBS, True),
        (KING, SURE_CLUBS, True),
        (JOKER, FLAT, False),  # it has no suit
        (NONE, FLAT, False),
    ],
)


@doubts
def test_the_second_is_asked_where_the_first_is_not_beyond_doubt(
    rank: list[float], suit: list[float], asked: bool
) -> None:
    first, second = Says([rank], [suit]), Says([[4, 8, 0, 0]], [[2, 6, 0]])
    both = TwoClassifiers(session=first, opinion=Opinion(session=second, bar=BAR))
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
    opinion = Opinion(session=second, bar=BAR)
    got_rank, got_suit = opinion.joined(first.rank, first.suit, crops(count))
    mean_rank, mean_suit = (first.rank + second.rank) / 2, (first.suit + second.suit) / 2
    assert np.allclose(got_rank, np.where(sure[:, None], first.rank, mean_rank))
    assert np.allclose(got_suit, np.where(sure[:, None], first.suit, mean_suit))
    assert second.asked == [np.flatnonzero(~sure).tolist()]
    assert np.array_equal(first.rank, np.array(rank, np.float32))  # what was given is left alone


FAIRLY_KING, FAIRLY_CLUBS = [6.5, 0, 0, 0], [6.5, 0, 0]  # between .99 and .999
FAIRLY_JOKER, FAIRLY_NONE = [0, 0, 6.5, 0], [0, 0, 0, 6.5]
ALONE = Bar(sure=0.999, suitless=(2, 3))


@pytest.mark.parametrize(
    ("says", "asked"),
    [
        ([(SURE_KING, SURE_CLUBS)], []),
        ([(SURE_KING, CLUBS)], [0]),
        ([(KING, SURE_CLUBS)], [0]),
        ([(JOKER, FLAT)], []),
        ([(NONE, FLAT)], []),
        ([(FAIRLY_KING, SURE_CLUBS)], [0]),  # alone it would have to be surer
        ([(SURE_KING, FAIRLY_CLUBS)], [0]),
        ([(FAIRLY_KING, FAIRLY_CLUBS), (FAIRLY_KING, SURE_CLUBS)], []),  # one seconds the other
        ([(FAIRLY_KING, FAIRLY_CLUBS), (KING, CLUBS)], [0, 1]),  # a doubtful one seconds nothing
        ([(FAIRLY_KING, FAIRLY_CLUBS), ([0, 6.5, 0, 0], FAIRLY_CLUBS)], [0, 1]),
        ([(FAIRLY_KING, FAIRLY_CLUBS), (FAIRLY_KING, [0, 6.5, 0])], [0, 1]),
        ([(FAIRLY_KING, FAIRLY_CLUBS), (SURE_KING, SURE_CLUBS)], []),
        ([(FAIRLY_JOKER, [1, 0, 0])], [0]),
        ([(FAIRLY_JOKER, [1, 0, 0]), (FAIRLY_JOKER, [0, 1, 0])], []),  # it has no suit
        ([(FAIRLY_NONE, FLAT)], []),  # what is none of ours needs no second
    ],
)
def test_the_quick_net_s_word_stands_where_it_is_seconded_or_beyond_doubt(
    says: list[tuple[list[float], list[float]]], asked: list[int]
) -> None:
    count = len(says)
    quick = Says([rank for rank, _ in says], [suit for _, suit in says])
    then = Says([[4, 8, 0, 0]] * count, [[2, 6, 0]] * count)
    chain = QuickFirst(session=quick, bar=BAR, alone=ALONE, then=then)
    suits, ranks = chain.run(["suit", "rank"], {"crops": crops(count)})
    assert then.asked == ([asked] if asked else [])
    for k in range(count):
        answer = then if k in asked else quick
        assert np.array_equal(ranks[k], answer.rank[k])
        assert np.array_equal(suits[k], answer.suit[k])


def test_each_of_three_nets_sees_only_what_those_before_it_doubt() -> None:
    rng = np.random.default_rng(3)
    count = 53

    def net(sure: np.ndarray) -> Says:
        rank, suit = rng.normal(0, 1, (count, 4)), rng.normal(0, 1, (count, 3))
        rank[sure], suit[sure] = SURE_KING, SURE_CLUBS
        return Says(rank.tolist(), suit.tolist())

    first_sure, quick_sure = rng.random(count) < 0.5, rng.random(count) < 0.4
    quick, first, second = net(quick_sure), net(first_sure), net(np.zeros(count, bool))
    both = TwoClassifiers(session=first, opinion=Opinion(session=second, bar=BAR))
    rank, suit = QuickFirst(session=quick, bar=BAR, alone=BAR, then=both).run(
        ["rank", "suit"], {"crops": crops(count)}
    )
    first_only = ~quick_sure & first_sure
    heard_both = ~quick_sure & ~first_sure
    assert np.array_equal(rank[quick_sure], quick.rank[quick_sure])
    assert np.array_equal(rank[first_only], first.rank[first_only])
    assert np.allclose(rank[heard_both], ((first.rank + second.rank) / 2)[heard_both])
    assert np.allclose(suit[heard_both], ((first.suit + second.suit) / 2)[heard_both])
    asked = [sorted(k for lot in net.asked for k in lot) for net in (quick, first, second)]
    assert asked == [
        list(range(count)),
        np.flatnonzero(~quick_sure).tolist(),
        np.flatnonzero(heard_both).tolist(),
    ]


@pytest.mark.parametrize("count", [1, 3, 16, 37])
def test_lots_hold_every_crop_once_and_in_order(count: int) -> None:
    rng = np.random.default_rng(5)
    net = Says(rng.normal(0, 1, (count, 4)).tolist(), rng.normal(0, 1, (count, 3)).tolist())
    suit, rank = InLots(net).run(["suit", "rank"], {"crops": crops(count)})
    assert np.array_equal(rank, net.rank)
    assert np.array_equal(suit, net.suit)
    assert [k for lot in net.asked for k in lot] == list(range(count))
    assert {len(lot) for lot in net.asked} <= set(LOTS)


def test_the_shipped_reader_asks_three_classifiers() -> None:
    reader = load_reader(threads=1)
    quick = reader.classifier
    assert isinstance(quick, QuickFirst)
    assert isinstance(quick.then, TwoClassifiers)
    assert reader.settings.quick_sure == (quick.bar.sure, quick.alone.sure)
    assert reader.settings.sure == quick.then.opinion.bar.sure
    for bar in (quick.bar, quick.alone, quick.then.opinion.bar):
        assert sorted(reader.settings.ranks[k] for k in bar.suitless) == ["-", "B", "b"]


def shipped_in(folder: Path) -> Path:
    source = Path(models.__file__).parent
    for path in (*source.glob("*.onnx"), source / models.MACHINE_CARD):
        shutil.copy(path, folder / path.name)
    return folder / models.MACHINE_CARD


def without(card: Path, *sections: str) -> None:
    kept = [part for part in card.read_text().split("\n[") if part.split("]")[0] not in sections]
    card.write_text("\n[".join(kept))


def test_models_without_a_second_classifier_are_read_with_the_others(tmp_path: Path) -> None:
    without(shipped_in(tmp_path), "second")
    reader = load_reader(models_dir=tmp_path)
    assert isinstance(reader.classifier, QuickFirst)
    assert not isinstance(reader.classifier.then, TwoClassifiers)
    assert reader.settings.sure is None


def test_models_without_a_quick_net_are_read_with_the_others(tmp_path: Path) -> None:
    without(shipped_in(tmp_path), "quick")
    reader = load_reader(models_dir=tmp_path)
    assert isinstance(reader.classifier, TwoClassifiers)
    assert reader.settings.quick_sure is None


@pytest.mark.parametrize(
    ("section", "key"), [("quick", "sure"), ("quick", "alone"), ("second", "sure")]
)
def test_a_card_that_does_not_say_when_to_ask_is_refused(
    section: str, key: str, tmp_path: Path
) -> None:
    card = shipped_in(tmp_path)
    before, after = card.read_text().split(f"\n[{section}]")
    lines = after.splitlines()
    lines.remove(next(line for line in lines if line.startswith(f"{key} = ")))
    card.write_text(f"{before}\n[{section}]" + "\n".join(lines))
    with pytest.raises(BadMachineCard, match=key):
        load_reader(models_dir=tmp_path)
