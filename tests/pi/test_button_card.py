"""The printed card says what the fittings do."""

from __future__ import annotations

from pathlib import Path
from typing import get_args
from xml.etree import ElementTree

from pi.button_card import LIGHTS, PRESSES, SOUNDS, svg
from pi.ports import Call, Meaning, Press


def test_the_card_in_the_guide_is_the_one_that_is_drawn_now(root: Path) -> None:
    assert (root / "docs/builder/button-card.svg").read_text(encoding="utf-8") == svg()


def test_every_press_light_and_call_is_on_it() -> None:
    assert set(PRESSES) == set(get_args(Press))
    assert set(LIGHTS) == set(get_args(Meaning))
    assert set(SOUNDS) == set(get_args(Call))


def test_all_words_lie_within_the_sheet() -> None:
    for text in ElementTree.fromstring(svg()).iter("{http://www.w3.org/2000/svg}text"):
        # A letter of Helvetica is about half as wide as it is high.
        wide = 0.52 * float(text.get("font-size", "0")) * len(text.text or "")
        x = float(text.get("x", "0"))
        left, right = (x - wide, x) if text.get("text-anchor") == "end" else (x, x + wide)
        assert left > 0, text.text
        assert right < 210, text.text
        assert 0 < float(text.get("y", "0")) < 148
