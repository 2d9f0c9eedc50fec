"""Lets the tests of the fittings share their scenes, which lie beside them.

Tests marked ``hardware`` run only when they are asked for, ``pytest -m hardware tests/pi``, on a
Raspberry Pi with a person beside it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "hardware" in (config.option.markexpr or ""):
        return
    left_out = [item for item in items if item.get_closest_marker("hardware")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("hardware")]
