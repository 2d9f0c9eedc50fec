"""The builder's page about the shuffler says what is so."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from engine.noticed import noticed
from engine.odds import total_variation
from pi.gpio import Pins
from pi.settings import settings_from
from pi.wiring_diagram import CAMERA_LIGHT


@pytest.fixture(scope="module")
def guide(root: Path) -> str:
    return (root / "docs/builder/shuffler.md").read_text(encoding="utf-8")


def test_the_settings_shown_are_read_and_show_the_default_pins(guide: str) -> None:
    shown = re.search(r"(    passes = 3.*?)\n\n[^ ]", guide, re.DOTALL)
    assert shown is not None
    settings = settings_from(tomllib.loads("\n".join(line[4:] for line in shown[1].splitlines())))
    # The default pins, and the camera light's where the drawing has it.
    assert settings.pins == Pins(camera=CAMERA_LIGHT)
    assert settings.shuffler.sensors == ("hopper", "left", "right", "motor")


@pytest.mark.parametrize("cards", [24, 32])
def test_the_figures_are_those_that_are_computed(guide: str, cards: int) -> None:
    for what in ("order of", "hands from"):
        row = re.search(rf"\| {what} {cards} cards \|(.*)\|", guide)
        assert row is not None
        for passes, told in enumerate(row[1].split("|"), start=1):
            hands = noticed(cards=cards, passes=passes)
            assert hands is not None
            true = hands.tv if what == "hands from" else total_variation(cards=cards, passes=passes)
            assert float(told) == pytest.approx(true, abs=0.0006)
