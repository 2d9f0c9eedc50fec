"""How readings are matched with labels: by name, and by where they lie."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.cards import Card
from vision.frame import Image
from vision.measure import BadLabels, labels_of, main, match, measure, middle_in
from vision.ports import Box, Detection


def card(name: str, box: Box, confidence: float = 0.99) -> Detection:
    return Detection(kind="card", card=Card(name), confidence=confidence, box=box)


def unsure(name: str, box: Box, why: str) -> Detection:
    return Detection(kind="unsure", card=Card(name), confidence=0.5, box=box, why=why)


class Scripted:
    """A reader that says what it was told, whatever the picture."""

    def __init__(self, answers: list[tuple[Detection, ...]]) -> None:
        self.answers = iter(answers)

    def read(self, image: Image, regions: object = None) -> tuple[Detection, ...]:
        return next(self.answers)


def test_a_labelled_box_is_grown_by_a_fifth_and_no_more() -> None:
    labelled = (100, 100, 200, 200)
    assert middle_in((205, 140, 213, 160), labelled)  # middle at 209
    assert not middle_in((207, 140, 215, 160), labelled)  # middle at 211


def test_a_name_elsewhere_in_the_picture_is_wrong_and_its_card_missed() -> None:
    labels = [{"card": "Kh", "box": [0, 0, 100, 140]}]
    found, missed, wrong = match([card("Kh", (500, 500, 600, 640))], labels)
    assert (len(found), len(missed), len(wrong)) == (0, 1, 1)


def test_one_reading_answers_one_label() -> None:
    labels = [{"card": "Kh"}, {"card": "Kh"}]
    found, missed, wrong = match([card("Kh", (0, 0, 10, 10))], labels)
    assert (len(found), len(missed), len(wrong)) == (1, 1, 0)


def folder_of(tmp_path: Path, images: list[dict[str, object]]) -> Path:
    for entry in images:
        cv2.imwrite(str(tmp_path / str(entry["file"])), np.zeros((40, 40, 3), np.uint8))
    (tmp_path / "labels.json").write_text(json.dumps({"images": images}))
    return tmp_path


def test_counts_of_a_folder_leave_optional_cards_out_and_unsure_ones_unnamed(
    tmp_path: Path,
) -> None:
    folder = folder_of(
        tmp_path,
        [
            {"file": "a.png", "cards": [{"card": "Kh"}, {"card": "9d", "optional": True}]},
            {"file": "b.png", "cards": [{"card": "Qs"}, {"card": "As", "optional": True}]},
        ],
    )
    reader = Scripted(
        [
            (card("Kh", (0, 0, 9, 9)), card("9d", (9, 9, 20, 20))),
            (unsure("Qs", (0, 0, 9, 9), "low"), card("Ac", (9, 9, 20, 20))),
        ]
    )
    tally = measure(reader, folder)
    assert (tally.pictures, tally.cards, tally.found) == (2, 2, 1)
    assert (tally.wrong, tally.unsure, tally.duplicate) == (1, 1, 0)
    assert tally.misses == ("b.png:Qs",)
    assert tally.mistakes == ("b.png:Ac@0.990",)


def test_a_folder_without_labels_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadLabels, match=r"labels\.json is missing"):
        labels_of(tmp_path)


def test_labels_of_another_form_are_refused(tmp_path: Path) -> None:
    (tmp_path / "labels.json").write_text("[1, 2]")
    with pytest.raises(BadLabels, match="not a label file"):
        labels_of(tmp_path)


def test_the_command_names_a_folder_it_cannot_measure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path)]) == 1
    assert "labels.json is missing" in capsys.readouterr().err
