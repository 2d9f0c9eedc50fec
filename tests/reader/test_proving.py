"""The instruments that measure the reader are themselves measured."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.cards import Card
from vision.classify import IndexReading
from vision.find import IndexSpot
from vision.pair import Rules
from vision.ports import Detection
from vision.proving import alter
from vision.proving.count import Lying, Mark, counted, judged, share, summed
from vision.proving.errors import NothingToMeasure
from vision.proving.ledger import look_at_test, rows_of, run_steps, stamp_of
from vision.proving.photographs import photographs
from vision.proving.sheet import bound, chart, table
from vision.proving.trust import banded, calibration_error, owner_of

CHECKS = np.random.default_rng(4).integers(0, 256, (90, 120, 3), np.uint8)


def seen(card: str, box: tuple[float, float, float, float], kind: str = "card") -> Detection:
    return Detection(kind=kind, card=Card(card), confidence=0.95, box=box)  # type: ignore[arg-type]


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


# --- counting ----------------------------------------------------------------------------------


def test_found_wrong_misplaced_and_optional_cards_are_told_apart() -> None:
    labels = [
        {"card": "Kh", "box": [0, 0, 50, 80]},
        {"card": "9s", "box": [100, 0, 150, 80]},
        {"card": "Ac", "box": [200, 0, 250, 80], "optional": True},
    ]
    counts = counted(
        [
            seen("Kh", (0, 0, 50, 80)),  # found
            seen("9s", (300, 0, 350, 80)),  # there, but not where it was said to be
            seen("Ac", (200, 0, 250, 80)),  # right, and counted neither as found nor as due
            seen("Qd", (0, 100, 50, 180)),  # nowhere
            seen("2c", (0, 0, 50, 80), kind="unsure"),
        ],
        labels,
    )
    assert counts == {
        "pictures": 1,
        "cards": 2,
        "found": 1,
        "wrong": 2,
        "misplaced": 1,
        "unsure": 1,
        "named": 4,
    }
    assert share(counts) == 50.0
    assert summed([counts, counts])["wrong"] == 4


@pytest.mark.parametrize(
    ("card", "p", "x", "mark", "true", "named", "wrong"),
    [
        ("Kh", 0.95, 100, 0, "Kh", True, False),
        ("Kd", 0.95, 105, 0, "Kh", True, True),
        ("Kd", 0.6, 100, 0, "Kh", False, False),
        # a covered index lies nearer than the whole one over it, which was read
        ("7h", 0.95, 1001, 7, "7h", True, False),
        ("9s", 0.95, 1001, 7, "7h", True, True),
        # two indices at one place, one of them hardly seen: the other was read
        ("2s", 0.95, 305, 2, "2s", True, False),
        # a card without an index there, a foreign one, and nothing at all
        ("Qs", 0.95, 400, 3, None, True, True),
        ("Qs", 0.95, 700, None, None, True, True),
        ("Qs", 0.6, 700, None, None, False, False),
        # a hardly seen index of a card below, under one that no one knew of
        ("Tc", 0.95, 860, 5, "Tc", True, False),
        # an index that no one knew of, on the card it names
        ("Ac", 0.95, 760, None, "Ac", True, False),
    ],
)
def test_a_reading_is_wrong_only_where_it_names_what_does_not_lie_there(
    card: str, p: float, x: float, mark: int | None, true: str | None, named: bool, wrong: bool
) -> None:
    marks = [
        Mark(x=place, y=50, height_px=20, share=part)
        for place, part in (
            (100, 1.0),
            (302, 0.2),
            (304, 0.9),
            (400, 1.0),
            (700, 0.0),
            (861, 0.05),
            (1001, 0.4),
            (1004, 1.0),
        )
    ]
    cards = [
        Lying(name=name, box=(left, 0, left + 90, 140), marks=its)
        for name, left, its in (
            ("Kh", 90, marks[:2]),
            ("2s", 290, marks[2:3]),
            (None, 390, marks[3:4]),
            ("Ac", 690, marks[4:5]),
            ("9d", 800, marks[5:6]),
            ("Tc", 800, []),
            ("Qc", 960, marks[6:7]),
            ("7h", 960, marks[7:]),
        )
    ]
    spot = IndexSpot(
        x=x, y=50, up_x=0, up_y=-1, height_px=20, middle_x=x, middle_y=90, card_px=120, score=0.9,
        seen_px=20,
    )  # fmt: skip
    one = judged(
        IndexReading(spot=spot, votes=((Card(card), p),), none=0.0, suit_seen=1.0),
        cards,
        Rules(alone=0.9),
    )
    # of the mark that is hidden whole nothing is read
    assert one.mark == (None if mark is None else marks[mark])
    assert (one.true, one.named, one.wrong) == (true, named, wrong)


def test_the_bound_on_errors_is_three_over_n_where_none_was_seen() -> None:
    assert bound(0, 3000) == "under 0.1%"
    assert bound(0, 0) == "no reading"
    assert bound(0, 2) == "under 100%", "two readings bound nothing"
    # one in a hundred seen: the true share may be five times that, and no less than it
    told = float(bound(1, 100).removeprefix("under ").removesuffix("%"))
    assert 1 < told < 6


def test_an_index_in_two_labelled_boxes_belongs_to_neither() -> None:
    from vision.classify import IndexReading
    from vision.find import IndexSpot

    def at(x: float, y: float) -> IndexReading:
        spot = IndexSpot(
            x=x, y=y, up_x=0, up_y=-1, height_px=20, middle_x=x, middle_y=y, card_px=80,
            score=0.9, seen_px=20,
        )  # fmt: skip
        return IndexReading(spot=spot, votes=((Card("Kh"), 0.9),), none=0.0, suit_seen=1.0)

    cards = [{"card": "Kh", "box": [0, 0, 50, 80]}, {"card": "9s", "box": [40, 0, 90, 80]}]
    assert owner_of(at(20, 40), cards) == "Kh"
    assert owner_of(at(45, 40), cards) is None
    assert owner_of(at(200, 40), cards) is None


def test_reliability_compares_what_was_said_with_what_was_right() -> None:
    points = [(0.95, True)] * 90 + [(0.95, False)] * 10 + [(0.6, False)] * 10
    rows = banded(points)
    assert [(r["n"], r["said %"], r["right %"], r["wrong"]) for r in rows] == [
        (10, 60.0, 0.0, 10),
        (100, 95.0, 90.0, 10),
    ]
    assert calibration_error(points) == pytest.approx((100 * 5 + 10 * 60) / 110, abs=0.01)


# --- altering ----------------------------------------------------------------------------------


@pytest.mark.parametrize("condition", alter.CONDITIONS, ids=lambda c: c.name)
def test_the_first_step_of_a_ladder_changes_nothing_and_the_others_do(
    condition: alter.Condition,
) -> None:
    boxes = [(10.0, 10.0, 60.0, 80.0)]
    first, *others = condition.steps
    assert np.array_equal(condition.alter(CHECKS, first, boxes, rng()), CHECKS)
    away = [
        float(np.abs(condition.alter(CHECKS, s, boxes, rng()).astype(int) - CHECKS).mean())
        for s in others
    ]
    assert away == sorted(away), "each step is harsher than the one before"
    assert away[0] > 0


def test_warm_light_makes_white_yellow_and_keeps_red_red() -> None:
    white, red = np.full((4, 4, 3), 255, np.uint8), np.zeros((4, 4, 3), np.uint8)
    red[..., 2] = 200
    blue, green, kept = alter.warm(white, 2200, (), rng())[0, 0].astype(int)
    assert kept == 255
    assert blue < green < kept
    assert alter.warm(red, 2200, (), rng())[0, 0].tolist() == [0, 0, 200]


def test_a_lamp_of_2700_k_has_the_colours_of_its_black_body() -> None:
    # red over blue of a 2700 K black body is some five times that of daylight at these lengths
    blue, green, red = alter.warmth_of(2700)
    assert red == 1
    assert 0.15 < blue < 0.25
    assert 0.5 < green < 0.65


def test_a_smear_is_as_long_as_it_says_and_loses_no_light() -> None:
    for length in (2.0, 4.0, 8.0):
        kernel = alter.motion_kernel(length, 0.0)
        assert kernel.sum() == pytest.approx(1)
        across = np.nonzero(kernel.sum(axis=0) > 0.01)[0]
        assert across[-1] - across[0] + 1 == pytest.approx(length, abs=1.6)
        assert (kernel.sum(axis=1) > 0.01).sum() <= 3


def test_a_disc_of_defocus_spreads_a_point_to_its_radius() -> None:
    point = np.zeros((21, 21, 3), np.uint8)
    point[10, 10] = 255
    rows, _ = np.nonzero(alter.defocus(point, 3, (), rng())[..., 0])
    assert rows.max() - rows.min() + 1 == 7


def test_leaning_takes_the_labels_along() -> None:
    picture = np.zeros((300, 400, 3), np.uint8)
    picture[50:120, 300:350] = 255
    label = {"card": "Kh", "box": [300, 50, 350, 120]}
    for turn in (0.0, 1.0, 2.5, 4.0):
        leaned, (moved,) = alter.leaned(picture, [label], 50.0, turn)
        rows, columns = np.nonzero(leaned[..., 0] > 100)
        x0, y0, x1, y1 = moved["box"]
        assert x0 - 2 <= columns.min()
        assert columns.max() <= x1 + 2
        assert y0 - 2 <= rows.min()
        assert rows.max() <= y1 + 2
        # the card has lost about the cosine of its height or width, not its place
        assert (x1 - x0) * (y1 - y0) < 1.6 * 50 * 70


def test_shrinking_takes_the_labels_along() -> None:
    small, (moved,) = alter.shrunk(CHECKS, [{"card": "Kh", "box": [20, 30, 60, 90]}], 0.5)
    assert small.shape == (45, 60, 3)
    assert moved["box"] == [10, 15, 30, 45]
    same, (kept,) = alter.shrunk(CHECKS, [{"card": "Kh"}], 1.4)
    assert same is CHECKS
    assert kept == {"card": "Kh"}


# --- ledger, tables, charts --------------------------------------------------------------------


def test_a_stopped_study_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "study.jsonl"
    done: list[str] = []

    def step(name: str) -> tuple[str, object]:
        def measure() -> dict[str, object]:
            if name == "c" and len(done) < 3:
                done.append("stopped")
                raise KeyboardInterrupt
            done.append(name)
            return {"n": name}

        return name, measure

    steps = [step(n) for n in "abcd"]
    with pytest.raises(KeyboardInterrupt):
        list(run_steps(path, "s", steps))  # type: ignore[arg-type]
    with path.open("a") as file:
        file.write('{"stamp": "s", "step": "c", "ro')  # as when the machine stops while writing
    rows = list(run_steps(path, "s", steps))  # type: ignore[arg-type]
    assert [name for name, _ in rows] == ["a", "b", "c", "d"]
    assert done == ["a", "b", "stopped", "c", "d"]
    assert rows_of(path, "s")["d"] == {"n": "d"}


def test_other_models_or_options_are_measured_anew(tmp_path: Path) -> None:
    path = tmp_path / "study.jsonl"
    list(run_steps(path, "old", [("a", lambda: {"n": 1})]))
    assert list(run_steps(path, "new", [("a", lambda: {"n": 2})])) == [("a", {"n": 2})]
    assert stamp_of({"every": 1}) != stamp_of({"every": 2})
    assert stamp_of({"every": 1}) == stamp_of({"every": 1})


def test_looks_at_the_test_folders_are_counted_once_each(tmp_path: Path) -> None:
    path = tmp_path / "looks.json"
    assert look_at_test(path, "shrink", "one") == 1
    assert look_at_test(path, "shrink", "one") == 1, "the same study resumed is the same look"
    assert look_at_test(path, "shrink", "two") == 2
    assert look_at_test(path, "conditions", "two") == 3
    assert len(json.loads(path.read_text())) == 3


def test_a_table_lines_up() -> None:
    lines = table([{"what": "a", "n": 5}, {"what": "longer", "n": 12_345}]).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert lines[3] == "| longer | 12345 |"


def test_a_chart_is_sound_and_puts_more_higher_up(tmp_path: Path) -> None:
    path = tmp_path / "chart.svg"
    chart(
        path,
        title="a < b & c",
        x_label="px",
        y_label="%",
        series={"up": [(8, 0), (10, 50), (20, 100)], "flat": [(8, 50), (20, 50)]},
    )
    root = ElementTree.parse(path).getroot()
    lines = [e.get("points", "") for e in root.iter() if e.tag.endswith("polyline")]
    up = [tuple(map(float, p.split(","))) for p in lines[0].split()]
    assert up[0][1] > up[1][1] > up[2][1], "SVG counts downwards"
    assert (up[1][0] - up[0][0]) / (up[2][0] - up[0][0]) == pytest.approx(2 / 12, abs=0.01)


def test_a_folder_that_is_not_there_is_named_with_the_cure(tmp_path: Path) -> None:
    with pytest.raises(NothingToMeasure, match=r"green_felt is missing: give .* --photos"):
        photographs(tmp_path, "test/green_felt")


# --- explaining --------------------------------------------------------------------------------


@pytest.mark.pixels
def test_an_explanation_shows_each_index_as_it_was_read_and_says_why() -> None:
    from pi.sim.faces import face_pixels
    from vision.explain import explained, reason
    from vision.pair import kept_groups
    from vision.reader import load_reader

    reader = load_reader(threads=1)
    frame = np.full((480, 640, 3), (60, 110, 40), np.uint8)
    for x, card in ((60, "Kh"), (400, "Kh"), (230, "9s")):
        face = face_pixels(Card(card), width_px=130)[..., :3]
        frame[80 : 80 + face.shape[0], x : x + face.shape[1]] = face
    found = reader.read(frame)
    drawn = explained(frame, reader, found)
    assert drawn.dtype == np.uint8
    assert drawn.shape[0] >= 480
    assert drawn.shape[1] > 1100, "the picture enlarged, and a panel beside it"
    green = (drawn == (40, 150, 0)).all(axis=2)
    orange = (drawn == (0, 110, 240)).all(axis=2)
    assert green.sum() > 200, "the named nine"
    assert orange.sum() > 400, "the two kings that contradict each other"
    assert cv2.countNonZero(orange[:, :400].astype(np.uint8)) > 100
    groups = kept_groups(reader.readings(frame)[0], reader.settings.rules)
    nine = next(g for g in groups if g.readings[0].card == "9s")
    (named,) = [d for d in found if d.kind == "card"]
    assert "agree" in reason(nine, named, reader.settings.rules)
    king = next(d for d in found if d.kind == "unsure")
    assert king.why == "duplicate"
    assert "two places" in reason(groups[0], king, reader.settings.rules)
    assert math.isfinite(named.confidence)


def test_other_code_gives_another_stamp(tmp_path: Path) -> None:
    from vision.proving.ledger import code_digest

    (tmp_path / "proving").mkdir()
    for name in ("reader.py", "proving/count.py", "track.py", "opinion.py"):
        (tmp_path / name).write_text("before")
    (tmp_path / "opinion.py").write_text("after")
    opined = code_digest(tmp_path)
    (tmp_path / "opinion.py").write_text("before")
    assert code_digest(tmp_path) != opined
    before = code_digest(tmp_path)
    (tmp_path / "track.py").write_text("after")
    assert code_digest(tmp_path) == before, "tracking has no part in a still picture"
    (tmp_path / "reader.py").write_text("after")
    assert code_digest(tmp_path) != before
