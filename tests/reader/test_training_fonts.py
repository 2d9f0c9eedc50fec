"""The font families that ranks are drawn in to train on."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from vision.training.art import FONT_FAMILIES, NPM_ART, family_fonts, install_art

#: Families of which Debian's packages hold a kept-back font.
KEPT_BACK = (
    "averia", "cabin", "caladea", "courier-prime", "dosis", "inter-", "jura", "lato",
    "league-spartan", "open-sans", "play-", "pt-sans", "pt-serif", "quicksand", "vollkorn",
)  # fmt: skip


def test_every_family_is_named_once_with_its_version() -> None:
    families = [entry.split("@")[0] for entry in FONT_FAMILIES]
    assert len(families) > 400
    assert families == sorted(set(families))
    assert all(entry.count("@") == 1 and entry[-1].isdigit() for entry in FONT_FAMILIES)


def test_no_family_of_a_kept_back_font_is_trained_on() -> None:
    families = [entry.split("@")[0] + "-" for entry in FONT_FAMILIES]
    assert [f for f in families if f.startswith(KEPT_BACK)] == []


def test_a_family_gives_its_plain_and_its_bold_cut(tmp_path: Path) -> None:
    def put(family: str, *weights: int) -> None:
        files = tmp_path / "npm" / "node_modules" / "@fontsource" / family / "files"
        files.mkdir(parents=True)
        for weight in weights:
            (files / f"{family}-latin-{weight}-normal.woff2").touch()

    put("arvo", 400, 700, 900)
    put("rye", 400)
    put("roboto-slab", 400, 900)
    assert [p.name for p in family_fonts(tmp_path)] == [
        "arvo-latin-400-normal.woff2",
        "arvo-latin-700-normal.woff2",
        "roboto-slab-latin-400-normal.woff2",
        "roboto-slab-latin-900-normal.woff2",
        "rye-latin-400-normal.woff2",
    ]


def test_only_packages_that_are_missing_are_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[list[str]] = []

    def run(words: list[str], **_: Any) -> subprocess.CompletedProcess[bytes]:
        ran.append(words)
        return subprocess.CompletedProcess(words, 0)

    monkeypatch.setattr(subprocess, "run", run)
    modules = tmp_path / "npm" / "node_modules"
    for package in (*NPM_ART, "@fontsource/arvo"):
        (modules / package).mkdir(parents=True)
    install_art(tmp_path)
    (asked,) = [words for words in ran if words[0] == "npm"]
    packages = [w for w in asked[2:] if not w.startswith("--")]
    assert packages == [
        f"@fontsource/{entry}" for entry in FONT_FAMILIES if not entry.startswith("arvo@")
    ]
    for package in packages:
        (modules / package.rsplit("@", 1)[0]).mkdir()
    ran.clear()
    install_art(tmp_path)
    assert [words for words in ran if words[0] == "npm"] == []
