"""A game file of any notation we read, told apart by what stands in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.notation import Imported
from engine.notation.egn import read_egn_file
from engine.notation.jsonl import FORMAT, read_jsonl_file


def read_game_file(path: str | Path, *, rules: Mapping[str, Any] | str = "home") -> Imported:
    """The games in the file at ``path``: our JSON lines by their header, else EGN.

    Faults are values; raises BadRuleset for ``rules`` only.
    """
    try:
        with open(path, "rb") as file:
            start = file.read(200).lstrip(b"\xef\xbb\xbf")
    except OSError:
        start = b""  # the reader of the notation says what is wrong with the file
    if f'"{FORMAT}"'.encode() in start.split(b"\n", 1)[0]:
        return read_jsonl_file(path)
    return read_egn_file(path, rules=rules)
