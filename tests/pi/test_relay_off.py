"""The shuffler's relay is off in time, however the program ends.

The pins here outlive their program, as on a Raspberry Pi (tests/pi/kept_pins.py).
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from kept_pins import kept_factory, levels, longest_on_s

from pi import shuffle
from pi.gpio import Pins
from pi.shuffling.touch import TouchShuffler, outputs_off

PINS = Pins()
TOUCH = f"GPIO{PINS.touch}"
SCRIPT = Path(__file__).with_name("kept_pins.py")


def program(what: str, file: Path) -> subprocess.Popen[str]:
    """A program that touches the shuffler; it does so when this returns."""
    started = subprocess.Popen(
        [sys.executable, str(SCRIPT), what, str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=Path(__file__).parents[2],
        env={"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": "/usr/bin:/bin"},
    )
    assert started.stdout is not None
    assert started.stdout.readline() == "touching\n"
    return started


def is_on(file: Path) -> bool:
    return bool(levels(file)[TOUCH][-1][1])


def test_the_pins_of_these_tests_stay_on_when_their_program_is_killed(tmp_path: Path) -> None:
    file = tmp_path / "pins"
    running = program("touch", file)
    running.kill()
    running.wait()
    assert is_on(file), "otherwise the tests below would prove nothing"


@pytest.mark.parametrize("what", ["leave", "raise"])
def test_a_program_that_ends_or_fails_lets_go_at_once(tmp_path: Path, what: str) -> None:
    file = tmp_path / "pins"
    running = program(what, file)
    running.wait(timeout=20)
    assert not is_on(file)


def test_with_nobody_to_tick_the_guard_lets_go(tmp_path: Path) -> None:
    file = tmp_path / "pins"
    running = program("touch", file)
    deadline = time.monotonic() + 10
    while is_on(file) and time.monotonic() < deadline:
        time.sleep(0.01)
    on_s = longest_on_s(levels(file)[TOUCH])
    running.kill()
    running.wait()
    assert on_s >= 0.2
    assert not is_on(file)


@pytest.mark.parametrize("number", range(5))
def test_after_a_kill_the_off_command_lets_go(tmp_path: Path, number: int) -> None:
    file = tmp_path / "pins"
    running = program("touch", file)
    time.sleep(random.Random(number).uniform(0, 0.15))
    running.kill()
    running.wait()
    subprocess.run(
        [sys.executable, str(SCRIPT), "off", str(file)],
        check=True,
        timeout=30,
        cwd=Path(__file__).parents[2],
        env={"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": "/usr/bin:/bin"},
    )
    assert not is_on(file)


def test_off_drives_every_output_and_no_input(tmp_path: Path) -> None:
    file = tmp_path / "pins"
    factory = kept_factory(file)
    assert outputs_off(factory, PINS) == (PINS.touch, PINS.buzzer, *PINS.lights)
    driven = levels(file)
    assert set(driven) == {f"GPIO{n}" for n in (PINS.touch, PINS.buzzer, *PINS.lights)}
    assert all(level == 0 for history in driven.values() for _, level in history)
    for number in (*PINS.buttons, PINS.hopper, PINS.left, PINS.right, PINS.motor):
        assert factory.pin(number).function == "input"


def test_opening_the_shuffler_turns_its_relay_off_first(tmp_path: Path) -> None:
    file = tmp_path / "pins"
    shuffler = TouchShuffler(kept_factory(file), touch=PINS.touch, sensors={})
    assert [level for _, level in levels(file)[TOUCH]] == [0]
    shuffler.close()


def test_upcard_shuffle_off_is_that_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "pins"
    monkeypatch.setattr(shuffle, "open_factory", lambda kind: kept_factory(file))
    given = argparse.Namespace(settings=None, off=True)
    assert shuffle.shuffle(given, log_path=tmp_path / "games.db", emit=None) == 0
    assert not is_on(file)
    assert capsys.readouterr().out == "off: pins 17, 25, 19, 20, 21, 26\n"


def test_off_obeys_the_settings_pins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = tmp_path / "upcard.toml"
    settings.write_text("[pins]\ntouch = 11\n")
    monkeypatch.setattr(shuffle, "open_factory", lambda kind: kept_factory(tmp_path / "pins"))
    given = argparse.Namespace(settings=settings, off=True)
    assert shuffle.shuffle(given, log_path=tmp_path / "games.db", emit=None) == 0
    assert "off: pins 11, " in capsys.readouterr().out
