"""What makes reading cheap changes nothing of what is read."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from engine.cards import ALL_CARDS
from vision import pair
from vision.classify import IndexReading, InLots, logits_of
from vision.find import IndexSpot
from vision.frame import Frame
from vision.motion import Gate, _above, _medians
from vision.pair import Rules, group_readings
from vision.reader import load_reader
from vision.scout import _joined

Cells = tuple[int, int, int, int]


def crowded_table(seed: int) -> list[IndexReading]:
    """Indices of cards that lie anywhere, some of them misjudged in size, place or name."""
    rng = np.random.default_rng(seed)
    readings: list[IndexReading] = []
    for _ in range(int(rng.integers(1, 30))):
        card = ALL_CARDS[int(rng.integers(len(ALL_CARDS)))]
        x, y = rng.uniform(0, 1920), rng.uniform(0, 1080)
        card_px, turn = float(rng.uniform(60, 260)), float(rng.uniform(0, 2 * math.pi))
        for half in (0.0, math.pi)[: int(rng.integers(1, 3))]:
            up_x, up_y = math.sin(turn + half), -math.cos(turn + half)
            along, aside = 0.37 * card_px, 0.27 * card_px
            said = card if rng.random() < 0.85 else ALL_CARDS[int(rng.integers(len(ALL_CARDS)))]
            readings.append(
                IndexReading(
                    spot=IndexSpot(
                        x=float(x + along * up_x + aside * up_y),
                        y=float(y + along * up_y - aside * up_x),
                        up_x=up_x,
                        up_y=up_y,
                        height_px=float(card_px * rng.uniform(0.1, 0.3)),
                        middle_x=float(x + rng.normal(0, 0.1 * card_px)),
                        middle_y=float(y + rng.normal(0, 0.1 * card_px)),
                        card_px=float(card_px * rng.uniform(0.7, 1.4)),
                        score=float(rng.uniform(0.2, 1)),
                        seen_px=20.0,
                    ),
                    votes=((said, float(rng.uniform(0.2, 1))),),
                    none=0.0,
                    suit_seen=1.0,
                )
            )
    return readings


def test_indices_are_gathered_as_if_every_pair_were_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tables = [crowded_table(seed) for seed in range(150)]
    near = [group_readings(table, Rules()) for table in tables]

    def everyone(readings: list[IndexReading]) -> list[set[int]]:
        return [set(range(len(readings))) - {k} for k in range(len(readings))]

    monkeypatch.setattr(pair, "_neighbours", everyone)
    assert near == [group_readings(table, Rules()) for table in tables]
    sizes = [len(group.readings) for groups in near for group in groups]
    assert {1, 2} <= set(sizes), "some indices are joined and some are not"


def test_on_a_wide_table_few_pairs_are_looked_at() -> None:
    table = [r for r in crowded_table(3) if r.spot.card_px < 120]
    pairs = sum(len(near) for near in pair._neighbours(table))
    assert 0 < pairs < 0.5 * len(table) * (len(table) - 1)
    assert pair._neighbours([]) == []


def joined_plainly(boxes: list[Cells], run_cells: float) -> list[Cells]:
    """Two boxes made one wherever one run is cheaper, from the last box on, until none is left."""

    def area(box: Cells) -> int:
        return (box[2] - box[0]) * (box[3] - box[1])

    def around(one: Cells, two: Cells) -> Cells:
        low, high = map(min, one[:2], two[:2]), map(max, one[2:], two[2:])
        x0, y0, x1, y1 = (*low, *high)
        return x0, y0, x1, y1

    left, done = list(dict.fromkeys(boxes)), []
    while left:
        box = left.pop()
        while True:
            cheaper = [
                other
                for other in left
                if area(around(box, other)) < area(box) + area(other) + run_cells
            ]
            if not cheaper:
                break
            left.remove(cheaper[0])
            box = around(box, cheaper[0])
        done.append(box)
    return done if len(done) == len(boxes) else joined_plainly(done, run_cells)


@pytest.mark.parametrize("count", [0, 1, 2, 7, 40, 120])
def test_windows_are_joined_as_the_plain_rule_says(count: int) -> None:
    rng = np.random.default_rng(count)
    for _ in range(6):
        boxes: list[Cells] = []
        for _ in range(count):
            x, y = (int(v) for v in rng.integers(0, 200, 2))
            wide, high = (int(v) for v in rng.integers(1, 30, 2))
            boxes.append((x, y, x + wide, y + high))
        assert _joined(boxes, 93.75) == joined_plainly(boxes, 93.75)


class Counting:
    """A session that counts the crops it is given."""

    def __init__(self, session: object) -> None:
        self.session, self.crops = session, 0

    def run(self, outputs: list[str], feeds: dict[str, np.ndarray]) -> object:
        self.crops += len(feeds["crops"])
        return self.session.run(outputs, feeds)  # type: ignore[attr-defined]


def test_however_many_crops_are_read_together_each_is_read_once_and_alike() -> None:
    reader = load_reader(threads=1)
    # of the quick net the company matters: one index seconds another
    classifier = reader.classifier.then.session
    assert isinstance(classifier, InLots)
    rng = np.random.default_rng(1)
    size = (*reader.settings.crop_px, 3)
    crops = [rng.integers(0, 256, size).astype(np.uint8) for _ in range(23)]
    alone = [logits_of(classifier, [crop]) for crop in crops]
    for count in (1, 2, 3, 5, 8, 15, 23):
        counting = Counting(classifier.session)
        ranks, suits = logits_of(InLots(counting), crops[:count])
        assert counting.crops == count
        assert np.allclose(ranks, np.concatenate([r for r, _ in alone[:count]]), atol=1e-4)
        assert np.allclose(suits, np.concatenate([s for _, s in alone[:count]]), atol=1e-4)


@pytest.mark.parametrize("levels", [0.0, 9.0, 9.5, 16.0, 254.9, 255.0, 400.0])
def test_a_difference_in_whole_levels_is_compared_as_in_floats(levels: float) -> None:
    every = np.arange(256, dtype=np.uint8)
    assert (_above(every, levels) == (every.astype(np.float64) > levels)).all()


@pytest.mark.parametrize("count", [1, 2, 5, 2304])
def test_medians_are_medians(count: int) -> None:
    rows = np.random.default_rng(count).uniform(0.4, 2.5, (3, count)).astype(np.float32)
    assert (_medians(rows) == np.median(rows, axis=1)).all()


def test_the_trail_of_an_arm_ends_when_its_time_is_over() -> None:
    """The newest motion's stamp is kept apart: it must be that of the stamps themselves."""
    rng = np.random.default_rng(2)
    cloth = np.clip(rng.normal(90, 2, (360, 640, 3)), 0, 255).astype(np.uint8)
    gate = Gate()
    for k in range(60):
        frame = cloth.copy()
        if 10 <= k < 25:
            cv2.rectangle(frame, (10 * k, 0), (10 * k + 80, 200), (60, 120, 200), -1)
        look = gate.look(Frame(at_us=k * 40_000, image=frame))
        assert gate._newest_us == int(look.moved_at.max())
    assert look.at_us - gate._newest_us > 350_000
