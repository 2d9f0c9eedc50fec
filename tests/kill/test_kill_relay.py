"""kill -9 at any moment of a shuffle: the relay is off in time, and nothing starts by itself.

Four kills by default, half of them in the middle of a touch; a thousand by command:

    UPCARD_KILLS=1000 ./test tests/kill/test_kill_relay.py
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

KILLS = int(os.environ.get("UPCARD_KILLS", "4"))
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "pi"))
SCRIPT = Path(__file__).with_name("shuffling_kit.py")
TOUCH = "GPIO17"


def kit(what: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), what, str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )


def touches(folder: Path) -> list[tuple[float, int]]:
    from kept_pins import levels

    return levels(folder / "pins").get(TOUCH, [])


def is_on(folder: Path) -> bool:
    history = touches(folder)
    return bool(history and history[-1][1])


@pytest.mark.parametrize("number", range(KILLS))
def test_after_a_kill_the_relay_is_off_and_nothing_starts_by_itself(
    tmp_path: Path, number: int
) -> None:
    chance = random.Random(number)
    running = kit("run", tmp_path)
    assert running.stdout is not None
    assert running.stdout.readline() == "on\n"
    aimed = number % 2 == 0
    deadline = time.monotonic() + 30
    while aimed and not is_on(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.002)
    time.sleep(chance.uniform(0, 0.15) if aimed else chance.uniform(0, 5))
    running.kill()
    running.wait()
    running.stdout.close()

    off = kit("off", tmp_path)
    assert off.wait(timeout=30) == 0
    assert not is_on(tmp_path)
    before = touches(tmp_path)

    again = kit("look", tmp_path)
    told, _ = again.communicate(timeout=60)
    assert told.splitlines()[0] == "on"
    assert told.splitlines()[1] == "unknown"
    assert [level for _, level in touches(tmp_path)[len(before) :]].count(1) == 0
    assert not is_on(tmp_path)


def test_the_pins_really_were_left_on_by_a_kill_in_the_middle_of_a_touch(tmp_path: Path) -> None:
    left_on = 0
    for number in range(6):
        folder = tmp_path / str(number)
        folder.mkdir()
        running = kit("run", folder)
        assert running.stdout is not None
        running.stdout.readline()
        deadline = time.monotonic() + 30
        while not is_on(folder) and time.monotonic() < deadline:
            time.sleep(0.002)
        running.kill()
        running.wait()
        running.stdout.close()
        left_on += is_on(folder)
        if left_on:
            return
    raise AssertionError("no kill hit a touch: the tests above prove nothing")
