"""kill -9 at any moment of a shuffle: the relay is off in time, and nothing starts by itself.

Four kills by default, half of them in the middle of a touch; a thousand by command:

    UPCARD_KILLS=1000 ./test tests/kill/test_kill_relay.py
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

KILLS = int(os.environ.get("UPCARD_KILLS", "4"))
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "pi"), str(ROOT / "tests" / "kill")]
TOUCH = "GPIO17"

from kept_pins import levels  # noqa: E402
from nursery import Nursery, Program  # noqa: E402


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    made = Nursery("relay")
    yield made
    made.close()


def kit(nursery: Nursery, what: str, folder: Path) -> Program:
    return nursery.start(what, str(folder), said=folder / f"{what}.txt")


def until(true: Callable[[], bool], *, seconds: float = 180) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.002)


def touches(folder: Path) -> list[tuple[float, int]]:
    return levels(folder / "pins").get(TOUCH, [])


def is_on(folder: Path) -> bool:
    history = touches(folder)
    return bool(history and history[-1][1])


@pytest.mark.parametrize("number", range(KILLS))
def test_after_a_kill_the_relay_is_off_and_nothing_starts_by_itself(
    tmp_path: Path, nursery: Nursery, number: int
) -> None:
    chance = random.Random(number)
    running = kit(nursery, "run", tmp_path)
    until(lambda: running.text() == "on\n")
    aimed = number % 2 == 0
    if aimed:
        until(lambda: is_on(tmp_path))
    time.sleep(chance.uniform(0, 0.15) if aimed else chance.uniform(0, 5))
    assert running.kill() == -9

    assert kit(nursery, "off", tmp_path).wait() == 0
    assert not is_on(tmp_path)
    before = touches(tmp_path)
    touched = any(level for _, level in before)

    again = kit(nursery, "look", tmp_path)
    assert again.wait() == 0
    # A request that the power took before it was kept is forgotten, but not one that was touched.
    assert again.text().split() in [["on", "unknown"], *([] if touched else [["on", "idle"]])]
    assert [level for _, level in touches(tmp_path)[len(before) :]].count(1) == 0
    assert not is_on(tmp_path)


def test_the_pins_really_were_left_on_by_a_kill_in_the_middle_of_a_touch(
    tmp_path: Path, nursery: Nursery
) -> None:
    for number in range(6):
        folder = tmp_path / str(number)
        folder.mkdir()
        running = kit(nursery, "run", folder)
        until(lambda folder=folder: is_on(folder))  # type: ignore[misc]
        running.kill()
        if is_on(folder):
            return
    raise AssertionError("no kill hit a touch: the tests above prove nothing")
