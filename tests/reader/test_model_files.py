"""The models' files are checked before they are trusted."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import models
from vision.reader import BadMachineCard, load_reader

EVERY = ("finder", "quick", "classifier", "second", "scout", "body")


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The shipped models in a folder that may be broken."""
    source = Path(models.__file__).parent
    for name in (models.MACHINE_CARD, *(f"{model}.onnx" for model in EVERY)):
        shutil.copy(source / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("name", EVERY)
def test_the_shipped_models_have_the_hashes_of_their_card(name: str) -> None:
    assert models.locate(name).suffix == ".onnx"


def test_the_shipped_models_are_small() -> None:
    size = sum(models.locate(n).stat().st_size for n in EVERY)
    assert size < 5_000_000


def test_one_changed_byte_is_noticed(copied: Path) -> None:
    path = copied / "finder.onnx"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(models.ModelDamaged, match=r"finder\.onnx.*install Upcard again") as caught:
        load_reader(models_dir=copied)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, models.ModelError)


@pytest.mark.parametrize("name", EVERY)
def test_a_missing_model_is_named(name: str, copied: Path) -> None:
    (copied / f"{name}.onnx").unlink()
    with pytest.raises(models.ModelMissing, match=rf"{name}\.onnx.*install") as caught:
        load_reader(models_dir=copied)
    assert isinstance(caught.value, FileNotFoundError)


def test_a_missing_machine_card_is_named(tmp_path: Path) -> None:
    with pytest.raises(models.ModelMissing, match=r"reader\.toml"):
        load_reader(models_dir=tmp_path)


def test_a_machine_card_that_is_no_toml_is_damaged(copied: Path) -> None:
    (copied / models.MACHINE_CARD).write_text("version = ")
    with pytest.raises(models.ModelDamaged, match="not valid TOML"):
        load_reader(models_dir=copied)


def test_an_unknown_model_is_answered_with_the_known_ones() -> None:
    with pytest.raises(models.ModelMissing, match="classifier, finder"):
        models.locate("dealer")


def test_a_machine_card_without_thresholds_is_refused(copied: Path) -> None:
    path = copied / models.MACHINE_CARD
    text = path.read_text()
    path.write_text("\n".join(line for line in text.splitlines() if not line.startswith("alone")))
    with pytest.raises(BadMachineCard, match="alone"):
        load_reader(models_dir=copied)


def test_the_classes_of_the_card_are_every_card_and_none() -> None:
    classifier = models.machine_card()["classifier"]
    assert sorted(classifier["ranks"]) == sorted([*"23456789TJQKA", "B", "b", "-"])
    assert sorted(classifier["suits"]) == sorted([*"cdhs", "-"])
