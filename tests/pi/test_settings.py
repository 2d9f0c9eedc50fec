"""The settings file: every fault named, nothing guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi.errors import BadSettings
from pi.settings import KitSettings, load_settings, settings_from


def test_a_full_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "upcard.toml"
    file.write_text(
        'table = "pi"\nrules = "pub"\nlog = "/var/lib/upcard/games.db"\nfps = 12.5\npasses = 3\n'
        "[dials]\nnoise = 0.5\n[pins]\ntouch = 11\nbuttons = [12, 13, 16, 18]\n"
    )
    settings = load_settings(file)
    assert (settings.table, settings.rules, settings.fps) == ("pi", "pub", 12.5)
    assert settings.log == Path("/var/lib/upcard/games.db")
    assert settings.dials.noise == 0.5
    assert settings.pins.touch == 11
    assert settings.seed == KitSettings().seed


def test_all_faults_are_named_at_once() -> None:
    with pytest.raises(BadSettings) as caught:
        settings_from({"tabel": "pi", "fps": "fast", "pins": {"touch": 2}}, where="upcard.toml")
    text = str(caught.value)
    assert text.startswith("upcard.toml: ")
    for part in ("'tabel' is no setting", "fps is 'fast': give a number", "pin 2 will not do"):
        assert part in text


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"table": "magic"}, "table is 'magic': take one of sim, clip, pi, usb"),
        ({"table": "clip"}, "no clip is named"),
        ({"fps": 0}, "fps is 0"),
        ({"fps": True}, "fps is True"),
        ({"seed": 1.5}, "seed is 1.5: give a whole number"),
        ({"speed": 0}, "speed is 0"),
        ({"passes": 100}, "passes is 100"),
        ({"pictures_days": 0}, "pictures_days is 0"),
        ({"pictures_days": 1.5}, "pictures_days is 1.5: give a whole number"),
        ({"clip_s": 61}, "clip_s is 61"),
        ({"width_px": 10}, "the picture is 10 x 720"),
        ({"log": 5}, "log is 5: give a path"),
        ({"rules": 5}, "rules is 5"),
        ({"dials": {"fog": 1}}, "dials.fog is no setting"),
        ({"dials": {"noise": 2}}, "noise is 2"),
        ({"dials": 1}, "dials is 1: write a table"),
        ({"pins": {"lights": [19, 20]}}, "pins.lights is [19, 20]: give four pins"),
        ({"pins": {"touch": 22}}, "pin 22 is used twice"),
    ],
)
def test_a_wrong_value_is_named_with_its_cure(values: dict[str, object], complaint: str) -> None:
    with pytest.raises(BadSettings) as caught:
        settings_from(values)
    assert complaint in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match=r"gone\.toml cannot be read"):
        load_settings(tmp_path / "gone.toml")
    broken = tmp_path / "broken.toml"
    broken.write_text("fps = = 3")
    with pytest.raises(BadSettings, match="is no TOML"):
        load_settings(broken)
    broken.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadSettings, match="not UTF-8"):
        load_settings(broken)


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        (5, "shuffler is 5: write a table"),
        ({"speed": 2}, "shuffler.speed is no setting: known are fitted, pass_s, second_pack"),
        ({"fitted": 1}, "shuffler.fitted is 1: give true or false"),
        ({"pass_s": True}, "shuffler.pass_s is True: give a number of seconds"),
        ({"pass_s": 60}, "shuffler.pass_s is 60: set it between 2 and 30 seconds"),
        ({"sensors": "hopper"}, "shuffler.sensors is 'hopper': give a list"),
        ({"sensors": ["lid"]}, "shuffler.sensors has 'lid': known are hopper, left, right, motor"),
    ],
)
def test_a_wrong_word_about_the_shuffler_is_named_with_its_cure(
    values: object, complaint: str
) -> None:
    with pytest.raises(BadSettings) as caught:
        settings_from({"shuffler": values})
    assert complaint in str(caught.value)


def test_what_is_fitted_to_the_shuffler_is_read() -> None:
    settings = settings_from(
        {"shuffler": {"sensors": ["hopper", "motor"], "pass_s": 6, "second_pack": True}}
    )
    assert settings.shuffler.sensors == ("hopper", "motor")
    assert (settings.shuffler.pass_s, settings.shuffler.second_pack) == (6, True)
    assert settings.shuffler.fitted
