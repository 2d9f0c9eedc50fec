"""The words of the command line that look through a camera, without one: what follows what."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytest

from pi import calibrate, cli, teach
from pi.cli import main


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("UPCARD_SETTINGS", raising=False)
    monkeypatch.setattr("vision.reader.load_reader", lambda **given: None)


@pytest.fixture
def taught(monkeypatch: pytest.MonkeyPatch) -> list[teach.Plan]:
    plans: list[teach.Plan] = []

    def teaching(plan: teach.Plan, **given: Any) -> int:
        plans.append(plan)
        return 0

    monkeypatch.setattr(teach, "teach", teaching)
    return plans


@pytest.mark.parametrize(
    ("found", "decks"), [(0, [("blue", "asked", 1)]), (1, [])], ids=["found", "not found"]
)
def test_a_deck_is_shown_for_its_verdicts_once_the_table_is_found_and_only_then(
    monkeypatch: pytest.MonkeyPatch,
    taught: list[teach.Plan],
    found: int,
    decks: list[tuple[str, str, int]],
) -> None:
    monkeypatch.setattr(calibrate, "calibrate", lambda plan, **given: found)
    assert main(["calibrate", "--from", "sim", "--deck", "blue"]) == found
    assert [(plan.name, plan.order, plan.views) for plan in taught] == decks


def test_without_a_deck_calibrating_teaches_nothing(
    monkeypatch: pytest.MonkeyPatch, taught: list[teach.Plan]
) -> None:
    monkeypatch.setattr(calibrate, "calibrate", lambda plan, **given: 0)
    assert main(["calibrate", "--from", "sim"]) == 0
    assert taught == []


def test_a_forgotten_deck_is_gone_and_it_is_said_unless_a_program_asks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone: list[str] = []
    monkeypatch.setattr("vision.decks.forget_deck", lambda folder, name: gone.append(name))
    assert main(["teach", "--forget", "blue"]) == 0
    assert capsys.readouterr().out == "deck blue is forgotten\n"
    assert main(["teach", "--forget", "blue", "--json"]) == 0
    assert capsys.readouterr().out == ""
    assert gone == ["blue", "blue"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            {"at_us": 1_500_000, "kind": "card_played", "seat": 2, "card": "Kh"},
            "    1.50 s  card played South Kh",
        ),
        ({"at_us": 0, "kind": "trick_cleared", "seat": None, "card": None}, "trick cleared"),
        (
            {"at_us": 61_000_000, "kind": "review", "seat": 1, "card": None, "best": "9c"},
            "   61.00 s  review East 9c",
        ),
    ],
)
def test_a_watched_fact_is_one_line_for_a_person(
    capsys: pytest.CaptureFixture[str], line: dict[str, Any], says: str
) -> None:
    cli._say_line(line)
    assert capsys.readouterr().out.rstrip("\n").endswith(says)


def test_a_stop_from_the_keyboard_is_no_fault_and_has_its_own_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*given: Any, **more: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(calibrate, "calibrate", stopped)
    assert main(["calibrate", "--from", "sim"]) == 130
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (OSError(28, "No space left on device", "/media/x"), "/media/x: No space left on device: "),
        (OSError(5, "Input/output error"), "the system: Input/output error: look at the disk"),
    ],
)
def test_what_the_system_refuses_is_one_line_with_the_place_and_the_cure(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: OSError,
    says: str,
) -> None:
    def refused(*given: Any, **more: Any) -> int:
        raise error

    monkeypatch.setattr(calibrate, "calibrate", refused)
    assert main(["calibrate", "--from", "sim"]) == 1
    err = capsys.readouterr().err
    assert err.startswith(f"upcard: {says}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (cli._port, ["1", "65535"], ["0", "65536", "-1", "80x", "", "8.0"]),
        (cli._count, ["1", "99"], ["0", "-3", "two", ""]),
        (cli._threads, ["1", "16"], ["0", "17", "-1", "all"]),
        (cli._positive, ["0.5", "2"], ["0", "-1", "inf", "nan", "fast", "1e9"]),
        (cli._path, ["x"], [""]),
    ],
)
def test_a_word_that_is_no_such_number_or_name_is_refused_by_its_value(
    kind: Any, good: list[str], bad: list[str]
) -> None:
    for text in good:
        assert kind(text) is not None
    for text in bad:
        with pytest.raises(argparse.ArgumentTypeError, match=r"give|leave it out"):
            kind(text)
