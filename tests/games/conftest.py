"""Lets the tests of the games share their scenes and their slow referee, which lie beside them."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
