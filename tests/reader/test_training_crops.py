"""What the reader of crops is taught to call an index that is covered, or turned."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.find import IndexSpot
from vision.reader import load_reader
from vision.training import indices as fresh
from vision.training import recut as recutting
from vision.training import scenes
from vision.training.faces import NO_RANK, NO_SUIT, Shelf, card_classes
from vision.training.indices import CORNER_PX, Bench, Corner, photograph
from vision.training.scenes import COVERED, IGNORE, K_INDEX, POSITIVE, scene_crops

KING = card_classes("Kh")
JOKER = card_classes("B")


def bench_of(card: str) -> Bench:
    """A bench with one corner: a dark block on white paper, said to be ``card``'s index."""
    rank, suit = card_classes(card)
    picture = np.full((CORNER_PX, CORNER_PX, 4), 255, np.uint8)
    picture[:64, :, 3] = picture[:, :64, 3] = 0
    cv2.rectangle(picture, (80, 70), (112, 122), (20, 20, 20, 255), -1)
    corner = Corner(picture=picture, rank=rank, suit=suit, width=0.5, least_px=20)
    shelf = Shelf(art={}, backs=[], rank_masks={}, suit_masks={}, fonts=[], courts=[])
    return Bench(shelf=shelf, textures=[], art={}, drawn=[corner], glyphs={})


def taught_of(card: str, count: int) -> list[tuple[int, int]]:
    bench, rng = bench_of(card), np.random.default_rng(3)
    return [photograph(bench, rng)[1:] for _ in range(count)]


def classes_of(card: str, count: int) -> set[tuple[int, int]]:
    return set(taught_of(card, count))


@pytest.fixture(autouse=True)
def only_our_corner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fresh, "NOTHING", 0.0)
    drawn = lambda bench, rng: bench.drawn[0]  # noqa: E731
    monkeypatch.setattr(fresh, "_any_corner", drawn)


@pytest.mark.parametrize("thing", ["ANOTHER_ON_IT", "SOMETHING_ON_IT"])
@pytest.mark.parametrize(
    ("covered", "taught"),
    [(0.1, KING), (COVERED - 0.05, KING), (COVERED + 0.05, (NO_RANK, NO_SUIT))],
)
def test_an_index_keeps_its_name_until_more_of_it_is_covered_than_not(
    thing: str, covered: float, taught: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fresh, "ANOTHER_ON_IT", 0.0)
    monkeypatch.setattr(fresh, thing, 1.0)
    monkeypatch.setattr(fresh, "_covered_share", lambda *_: covered)
    monkeypatch.setattr(fresh, "ANY_WAY_UP", (KING[0],))  # no turned ones among these
    crops = taught_of("Kh", 40)
    assert crops.count(taught) >= 38  # one in a hundred lies off its place


def test_a_turned_index_is_none_but_a_jokers_star_has_no_way_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fresh, "ANOTHER_ON_IT", 0.0)
    monkeypatch.setattr(fresh, "SOMETHING_ON_IT", 0.0)
    none = (NO_RANK, NO_SUIT)
    # three in a hundred are turned, one lies off its place: none for either
    assert 25 <= taught_of("Kh", 1000).count(none) <= 55
    assert 3 <= taught_of("B", 1000).count(none) <= 20


def labels_of(card: str, *, state: int, share: float) -> NDArray[np.float32]:
    rank, suit = card_classes(card)
    row = [K_INDEX, 160, 160, 0, -1, 30, rank, suit, state, 180, 220, 180, share]
    return np.array([row], np.float32)


SCENE = np.full((320, 320, 3), 90, np.uint8)


@pytest.mark.parametrize(
    ("state", "share", "taught"),
    [
        (POSITIVE, 1.0, KING),
        (IGNORE, 1 - COVERED + 0.02, KING),
        (IGNORE, 1 - COVERED - 0.02, (NO_RANK, NO_SUIT)),
    ],
)
def test_scenes_teach_covered_indices_the_same(
    state: int, share: float, taught: tuple[int, int]
) -> None:
    labels = labels_of("Kh", state=state, share=share)
    first = [
        classes[0]
        for seed in range(40)
        if (classes := scene_crops(SCENE, labels, np.random.default_rng(seed))[1])
    ]
    # a few scenes of the covered index show no crop of it, and one of the table instead
    assert first.count(taught) >= 25
    if taught == KING:
        assert set(first) == {KING}


@pytest.mark.parametrize(("card", "turned"), [("Kh", True), ("b", False)])
def test_scenes_teach_no_turned_joker(
    card: str, turned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ups: set[tuple[float, float]] = set()

    def cut(picture, x, y, up_x, up_y, height):
        if (x, y) == (160, 160):
            ups.add((float(up_x), float(up_y)))
        return picture

    monkeypatch.setattr(scenes, "cut_crop", cut)
    for seed in range(200):
        labels = labels_of(card, state=POSITIVE, share=1.0)
        scene_crops(SCENE, labels, np.random.default_rng(seed))
    assert (0, -1) in ups
    assert (len(ups) > 1) is turned


@pytest.mark.parametrize(
    ("card", "share", "up", "taught"),
    [
        ("Kh", 1.0, -1.0, [KING]),
        ("Kh", 1 - COVERED + 0.02, -1.0, [KING]),
        ("Kh", 1 - COVERED - 0.02, -1.0, [(NO_RANK, NO_SUIT)]),
        ("Kh", 1.0, 1.0, [(NO_RANK, NO_SUIT)]),
        ("B", 1.0, 1.0, []),
    ],
)
def test_crops_cut_where_the_finder_looks_are_taught_the_same(
    card: str,
    share: float,
    up: float,
    taught: list[tuple[int, int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader = load_reader(threads=1)
    spot = IndexSpot(
        x=161, y=160, up_x=0, up_y=up, height_px=31, middle_x=180, middle_y=220, card_px=180,
        score=0.9, seen_px=31,
    )  # fmt: skip
    monkeypatch.setattr(recutting, "merge_indices", lambda found, *, index_px: [spot])
    state = POSITIVE if share >= 0.8 else IGNORE
    labels = labels_of(card, state=state, share=share)
    crops, classes = recutting.recut_scene(reader, SCENE, labels, np.random.default_rng(1))
    assert classes == taught
    assert len(crops) == len(taught)


def runs(process: Path) -> bool:
    """Whether it does; one that ended and that nobody has asked after yet does not."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


ASKS = """
import multiprocessing, os, sys, time
from vision.training.indices import handed_over

def make(out, asker):
    print(os.getpid(), flush=True)
    while handed_over(b"x" * 1_000_000, out, asker):
        pass

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    out = context.Queue(maxsize=2)
    context.Process(target=make, args=(out, os.getpid()), daemon=True).start()
    time.sleep(600)
"""


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc to see a process end")
def test_the_maker_of_crops_ends_with_the_one_that_asked_for_them(tmp_path: Path) -> None:
    script = tmp_path / "asks.py"
    script.write_text(ASKS)
    asks = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True)
    assert asks.stdout is not None
    number = asks.stdout.readline().strip()
    assert number.isdigit()
    maker = Path("/proc") / number
    assert maker.exists()
    time.sleep(1)  # the queue is full by now, and nobody takes from it
    os.kill(asks.pid, signal.SIGKILL)
    asks.wait()
    until = time.monotonic() + 30
    while runs(maker) and time.monotonic() < until:
        time.sleep(0.2)
    ended = not runs(maker)
    if not ended:
        os.kill(int(number), signal.SIGKILL)
    assert ended
