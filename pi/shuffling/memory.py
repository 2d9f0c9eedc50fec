"""What the kit still knows of the shuffler after it was switched off in the middle.

A small file beside the log. It says only that a pass may be under way: after a restart nothing
starts by itself, so being wrong costs a touch of a button and never a start.
"""

from __future__ import annotations

import json
import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.cards import Seat

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """``game_id`` and ``deals``: the moment of the game it belongs to. ``busy``: it was at work."""

    passes: int | None = None
    busy: bool = False
    seat: Seat = 0
    wanted: int = 0
    done: int = 0
    game_id: str | None = None
    deals: int = 0


class Memory:
    """The file at ``path``; None keeps nothing. A disk that refuses is logged, never raised."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._kept: Remembered | None = None

    def recall(self) -> Remembered:
        """What was last kept. A torn or strange file counts as a shuffler that was at work."""
        if self._path is None or not self._path.exists():
            return Remembered()
        try:
            values = json.loads(self._path.read_text(encoding="utf-8"))
            return _checked(values)
        except (OSError, ValueError, TypeError) as error:
            _LOG.warning(
                "what was kept of the shuffler in %s cannot be read: %s", self._path, error
            )
            return Remembered(busy=True)

    def keep(self, told: Remembered) -> None:
        """Store it, if it is news."""
        if self._path is None or told == self._kept:
            return
        self._kept = told
        aside = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        try:
            with aside.open("w", encoding="utf-8") as file:
                json.dump({name: getattr(told, name) for name in Remembered.__slots__}, file)
                file.flush()
                os.fsync(file.fileno())
            aside.replace(self._path)
        except OSError as error:
            _LOG.warning("what the shuffler does could not be kept in %s: %s", self._path, error)


def _checked(values: Any) -> Remembered:
    if not isinstance(values, dict) or set(values) != set(Remembered.__slots__):
        raise ValueError("it has other keys")
    numbers = ("seat", "wanted", "done", "deals")
    if not all(type(values[name]) is int and values[name] >= 0 for name in numbers):
        raise ValueError("a number is none")
    if type(values["busy"]) is not bool:
        raise ValueError("busy is neither true nor false")
    return Remembered(**values)
