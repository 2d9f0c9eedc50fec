"""Lets the tests of the record deal with the engine's oracle, which lies beside its tests."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "engine"))
