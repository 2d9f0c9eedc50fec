"""Which camera ``upcard calibrate`` looks through, what it refuses, the clip it may be given."""

from __future__ import annotations

import argparse
from contextlib import closing
from pathlib import Path
from typing import Any

import cv2
import pytest
from test_calibration import ROUND, Reads, sheet_under, spoilt, table

from pi.calibrate import FILE_NAME, Plan, TableSetup, calibrate, load, plan_for
from pi.errors import BadSettings
from pi.sim.lens import Lens
from vision.calibration import NoTableFound
from vision.clips import ClipWriter
from vision.frame import Frame, Image


def words(**given: Any) -> argparse.Namespace:
    plain: dict[str, Any] = {
        "source": None,
        "output": None,
        "picture": None,
        "force": False,
        "seed": 1,
    }
    return argparse.Namespace(**(plain | given))


# --- the source --------------------------------------------------------------------------------


def test_off_a_pi_no_camera_is_guessed(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="no source is named and this is no Pi: --from usb"):
        plan_for(words(), folder=tmp_path)


@pytest.mark.parametrize(("table_word", "source"), [("pi", "pi"), ("usb", "usb"), ("hand", "pi")])
def test_on_a_pi_it_is_the_camera_that_the_table_plays_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table_word: str, source: str
) -> None:
    settings = tmp_path / "upcard.toml"
    settings.write_text(f'table = "{table_word}"\nwidth_px = 1920\nheight_px = 1080\n')
    monkeypatch.setenv("UPCARD_SETTINGS", str(settings))
    monkeypatch.setattr("pi.calibrate.on_a_pi", lambda: True)
    plan = plan_for(words(), folder=tmp_path)
    assert (plan.source, plan.settings.width_px) == (source, 1920)
    assert plan.output == tmp_path / FILE_NAME


@pytest.mark.parametrize("source", ["gone.jpg", "", "sim2"])
def test_a_source_that_is_not_there_is_named_with_those_there_are(
    tmp_path: Path, source: str
) -> None:
    with pytest.raises(BadSettings, match="nor one of pi, usb, sim"):
        plan_for(words(source=source), folder=tmp_path)


def test_a_folder_is_no_picture(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="no such picture or clip"):
        plan_for(words(source=str(tmp_path)), folder=tmp_path)


@pytest.mark.parametrize("name", ["zones", "zones.txt", "zones.pdf"])
def test_a_drawing_of_no_kind_of_picture_is_refused_before_anybody_looks(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(BadSettings, match=rf"--picture {name}: name it \.jpg or \.png"):
        plan_for(words(source="sim", picture=Path(name)), folder=tmp_path)
    assert plan_for(words(source="sim", picture=Path("zones.PNG")), folder=tmp_path).picture


# --- looking -----------------------------------------------------------------------------------


def look(plan: Plan, cards: dict[str, tuple[float, float]] | None = None) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []
    calibrate(plan, reader=Reads(Lens(), cards or {}), emit=lines.append, complain=print)
    return lines


def a_clip(path: Path, pictures: list[Image]) -> Path:
    with closing(ClipWriter(path, fps=10)) as clip:
        for number, image in enumerate(pictures):
            clip.write(Frame(at_us=number * 100_000, image=image))
    return path


def test_a_recorded_clip_is_looked_through_until_three_looks_agree(tmp_path: Path) -> None:
    bare, still = table(Lens()), sheet_under(Lens())
    clip = a_clip(tmp_path / "table.avi", [bare, bare, still, bare, still, still, still])
    lines = look(Plan(source=str(clip), output=tmp_path / "c.json"))
    assert lines[-1]["kind"] == "kept"
    assert load(tmp_path / "c.json").placed.found_by == "sheet"


def test_a_clip_without_a_table_keeps_nothing_and_says_what_was_missing(tmp_path: Path) -> None:
    clip = a_clip(tmp_path / "bare.avi", [table(Lens())] * 5)
    with pytest.raises(NoTableFound, match="lay the sheet in the middle"):
        look(Plan(source=str(clip), output=tmp_path / "c.json"))
    assert not (tmp_path / "c.json").exists()


def test_four_cards_do_as_well_and_the_file_says_so(tmp_path: Path) -> None:
    picture = tmp_path / "cards.png"
    cv2.imwrite(str(picture), table(Lens(), speckle=300))
    lines = look(Plan(source=str(picture), output=tmp_path / "c.json", force=True), ROUND)
    assert lines[-1] == {"kind": "kept", "path": str(tmp_path / "c.json"), "found_by": "cards"}
    assert load(tmp_path / "c.json").placed.found_by == "cards"


# --- the page's camera -------------------------------------------------------------------------


def set_up(tmp_path: Path, *pictures: Image | None) -> tuple[TableSetup, list[object]]:
    waiting = list(pictures)
    used: list[object] = []

    def newest() -> Frame | None:
        image = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        return None if image is None else Frame(at_us=1, image=image)

    setup = TableSetup(
        newest=newest, reader=Reads(Lens(), {}), path=tmp_path / "c.json", use=used.append
    )
    return setup, used


def test_before_the_first_picture_there_is_nothing_to_look_at_show_or_keep(tmp_path: Path) -> None:
    setup, used = set_up(tmp_path, None)
    told = setup.look()
    assert (told["found"], told["picture"], told["may_keep"]) == (False, False, False)
    assert "no picture yet" in told["text"]
    assert setup.picture() is None
    assert setup.keep() is not None
    assert setup.cards() == {"cards": []}
    assert used == []


def test_a_look_that_found_nothing_forgets_the_one_before(tmp_path: Path) -> None:
    setup, used = set_up(tmp_path, sheet_under(Lens()), table(Lens()))
    assert setup.look()["may_keep"] is True
    told = setup.look()
    assert (told["found"], told["picture"]) == (False, True)
    assert setup.keep() is not None
    assert not (tmp_path / "c.json").exists()
    assert used == []


def test_a_table_that_would_read_badly_is_shown_and_not_kept(tmp_path: Path) -> None:
    setup, used = set_up(tmp_path, spoilt(sheet_under(Lens()), "dark"))
    told = setup.look()
    assert (told["found"], told["may_keep"]) == (True, False)
    assert [check["name"] for check in told["checks"] if check["verdict"] == "fail"] == ["exposure"]
    refused = setup.keep()
    assert refused is not None
    assert "mend what failed" in refused.key
    assert used == []
