"""A game file of any notation we read, told apart by what stands in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.notation import Imported
from engine.notation.egn import read_egn, read_egn_file
from engine.notation.jsonl import FORMAT, LONGEST_FILE, read_jsonl


def read_game_file(path: str | Path, *, rules: Mapping[str, Any] | str = "home") -> Imported:
    """The games in the file at ``path``: our JSON lines by their header, else EGN.

    Faults are values; raises BadRuleset for ``rules`` only.
    """
    try:
        with open(path, "rb") as file:  # once: it may be a pipe
            data = file.read(LONGEST_FILE + 1)
    except OSError:
        return read_egn_file(path, rules=rules)  # it says what is wrong with the file
    first_line = data.split(b"\n", 1)[0]
    if f'"{FORMAT}"'.encode() in first_line:
        return read_jsonl(data)
    return read_egn(data, rules=rules)
