"""A game file of any notation we read, told apart by what stands in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from engine.notation import Imported
from engine.notation.egn import LONGEST_FILE as LONGEST_EGN
from engine.notation.egn import read_egn, read_egn_file
from engine.notation.emn import FILE_TYPE as MATCH
from engine.notation.emn import read_emn
from engine.notation.jsonl import FORMAT, LONGEST_FILE, read_jsonl

#: How a match says what it is, wherever it says so.
_MATCH: Final = re.compile(rb'"fileType"\s*:\s*"%s"' % MATCH.encode())


def read_game_file(path: str | Path, *, rules: Mapping[str, Any] | str = "home") -> Imported:
    """The games in the file at ``path``: our JSON lines by their header, a match, else EGN.

    Faults are values; raises BadRuleset for ``rules`` only.
    """
    try:
        with open(path, "rb") as file:  # once: it may be a pipe
            data = file.read(LONGEST_FILE + 1)
    except OSError:
        return read_egn_file(path, rules=rules)  # it says what is wrong with the file
    return read_game(data, rules=rules)


def read_game(data: bytes, *, rules: Mapping[str, Any] | str = "home") -> Imported:
    """The same of what stood in a file."""
    first_line = data.split(b"\n", 1)[0]
    if f'"{FORMAT}"'.encode() in first_line:
        return read_jsonl(data)
    if _MATCH.search(data) and len(data) <= LONGEST_EGN:
        return read_emn(data, rules=rules)
    return read_egn(data, rules=rules)


def is_ours(path: str | Path) -> bool:
    """Whether the file holds our own facts, whose rules ``--rules`` may override."""
    try:
        with open(path, "rb") as file:
            return f'"{FORMAT}"'.encode() in file.readline(4_096)
    except OSError:
        return False
