"""Every pair of text and ground the page uses is readable: WCAG 2.1, level AA."""

from __future__ import annotations

import math
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from web_dashboard.faces import face_routes, four_colour_face

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


# --- four colours of suits ----------------------------------------------------------------

#: Machado, Oliveira and Fernandes (2009), severity 1: linear RGB as each kind of eye sees it.
EYES = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red cones": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "no green cones": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "no blue cones": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
#: CIE 1976 difference; about 2.3 can just be told apart side by side.
CLEARLY_APART = 20.0


def seen_by(colour: str, eye: tuple[tuple[float, ...], ...]) -> tuple[float, float, float]:
    """CIE L*a*b* (D65) of a colour as ``eye`` sees it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    r, g, b = (
        min(1.0, max(0.0, sum(m * c for m, c in zip(row, linear, strict=True)))) for row in eye
    )
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883

    def cube(t: float) -> float:
        return t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116

    return 116 * cube(y) - 16, 500 * (cube(x) - cube(y)), 200 * (cube(y) - cube(z))


@pytest.fixture(scope="module")
def suits(root: Path, schemes: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    css = (root / "web_dashboard/static/css/people.css").read_text()
    found = {}
    for scheme, selector in (
        ("light", ':root[data-suits="four"] {'),
        ("dark", ':root[data-suits="four"][data-theme="dark"] {'),
    ):
        block = css.split(selector, 1)[1].split("}")[0]
        inks = dict(re.findall(r"--(\w+):\s*(#[0-9a-f]{6})", block))
        found[scheme] = inks | {"spades": schemes[scheme]["black"]}
    return found


@pytest.mark.parametrize("eye", EYES, ids=lambda eye: eye.replace(" ", "-"))
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_four_suits_have_four_colours_for_every_eye(
    suits: dict[str, dict[str, str]], scheme: str, eye: str
) -> None:
    inks = suits[scheme]
    assert set(inks) == {"hearts", "diamonds", "clubs", "spades"}
    for one, other in combinations(inks, 2):
        apart = math.dist(seen_by(inks[one], EYES[eye]), seen_by(inks[other], EYES[eye]))
        assert apart >= CLEARLY_APART, (one, other, apart)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("ground", ["panel", "paper", "panel-2"])
def test_four_colours_can_be_read(
    suits: dict[str, dict[str, str]], schemes: dict[str, dict[str, str]], scheme: str, ground: str
) -> None:
    for suit, ink in suits[scheme].items():
        assert contrast(ink, schemes[scheme][ground]) >= 4.5, suit


def test_a_face_is_redrawn_in_its_suits_own_colour(suits: dict[str, dict[str, str]]) -> None:
    for card, suit in (("9d", "diamonds"), ("Kd", "diamonds"), ("9c", "clubs"), ("Jc", "clubs")):
        assert suits["light"][suit] in four_colour_face(card)
    assert "#c8142d" not in four_colour_face("9d")
    assert "#16161a" not in four_colour_face("9c")


@pytest.fixture
def faces() -> Any:
    app = Flask(__name__)
    app.register_blueprint(face_routes())
    return app.test_client()


@pytest.mark.parametrize("name", ["Kh", "As", "zz", "..", "../page", "Kd.svg"])
def test_only_diamonds_and_clubs_are_redrawn(faces: Any, name: str) -> None:
    with pytest.raises(FileNotFoundError, match="no diamond or club"):
        four_colour_face(name)
    assert faces.get(f"/cards/four/{name}.svg").status_code == 404


def test_every_diamond_and_club_has_a_four_colour_face(faces: Any) -> None:
    for card in [rank + suit for rank in "23456789TJQKA" for suit in "dc"]:
        drawn = faces.get(f"/cards/four/{card}.svg")
        assert (drawn.status_code, drawn.mimetype) == (200, "image/svg+xml")
