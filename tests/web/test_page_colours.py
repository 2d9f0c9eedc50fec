"""Every pair of text and ground the page uses is readable: WCAG 2.1, level AA."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

#: Text and what it stands on, by the names in page.css; 4.5 to 1 for text.
PAIRS = (
    ("ink", "paper"),
    ("ink", "panel"),
    ("ink", "panel-2"),
    ("ink-2", "paper"),
    ("ink-2", "panel"),
    ("ink-2", "panel-2"),
    ("gold-ink", "gold"),
    ("ns", "panel"),
    ("ew", "panel"),
    ("panel", "ns"),
    ("panel", "ew"),
    ("red", "panel"),
    ("black", "panel"),
    ("bad", "panel"),
    ("paper", "bad"),
    ("good", "panel"),
    ("warn", "panel"),
    ("felt-ink", "felt-1"),
    ("felt-ink", "felt-2"),
    ("felt-dim", "felt-1"),
)
#: Signs and outlines that must be told apart, not read: 3 to 1.
SIGNS = (("gold-line", "paper"), ("gold-line", "panel"), ("red", "panel-2"), ("red", "paper"))


@pytest.fixture(scope="module")
def schemes(root: Path) -> dict[str, dict[str, str]]:
    css = (root / "web_dashboard/static/css/page.css").read_text()
    light_block = css.split(":root {", 2)[1].split("}")[0]
    dark_block = css.split(':root[data-theme="dark"] {', 1)[1].split("}")[0]

    def colours(block: str) -> dict[str, str]:
        return dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6});", block))

    light = colours(light_block)
    return {"light": light, "dark": light | colours(dark_block)}


def luminance(colour: str) -> float:
    """Relative luminance of ``#rrggbb``, after WCAG 2.1."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_measured_as_the_standard_does() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("text", "ground", "least"),
    [(*pair, 4.5) for pair in PAIRS] + [(*pair, 3.0) for pair in SIGNS],
)
def test_text_can_be_read_on_its_ground(
    schemes: dict[str, dict[str, str]], scheme: str, text: str, ground: str, least: float
) -> None:
    colours = schemes[scheme]
    assert contrast(colours[text], colours[ground]) >= least, (colours[text], colours[ground])
