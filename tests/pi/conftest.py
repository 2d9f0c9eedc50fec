"""Lets the tests of the fittings share their scenes, which lie beside them.

Tests marked ``hardware`` run only when they are asked for, ``pytest -m hardware tests/pi``, on a
Raspberry Pi with a person beside it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

if TYPE_CHECKING:
    from shuffle_scenes import Opened, Scene


@pytest.fixture
def scene() -> Iterator[Opened]:
    """Opens scenes, and closes them when the test ends."""
    from shuffle_scenes import Scene

    opened: list[Scene] = []

    def open_scene(**given: Any) -> Scene:
        opened.append(Scene(**given))
        return opened[-1]

    yield open_scene
    for one in opened:
        one.close()
        one.bench.close()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "hardware" in (config.option.markexpr or ""):
        return
    left_out = [item for item in items if item.get_closest_marker("hardware")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("hardware")]
