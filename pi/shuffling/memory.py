"""What the kit still knows of the shuffler after it was switched off in the middle.

A small file beside the log. It says that a pass may be under way: after a restart nothing
starts by itself, so being wrong costs a touch of a button and never a start. And it holds the
passes that were done while the log took nothing, so that they outlive the kit. Its room is taken
while there is some: on a full disk it is written over in its place.
"""

from __future__ import annotations

import json
import logging
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal

from engine.cards import Seat

_LOG = logging.getLogger(__name__)

#: What the file takes up from the start, in bytes.
_ROOM: Final = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Passes that were done at ``at_us`` in the game ``game_id``, and are not in the log yet."""

    seat: Seat
    passes: int
    at_us: int
    game_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """``game_id`` and ``deals``: the moment of the game it belongs to. ``busy``: it was at work.
    ``waiting``: what the log has not taken, oldest first."""

    passes: int | None = None
    busy: bool = False
    seat: Seat = 0
    wanted: int = 0
    done: int = 0
    game_id: str | None = None
    deals: int = 0
    waiting: tuple[Waiting, ...] = ()


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

    def keep(self, told: Remembered) -> bool:
        """Store it, if it is news; whether it is stored now."""
        if self._path is None:
            return False
        if told == self._kept:
            return True
        text = json.dumps(asdict(told)).ljust(_ROOM - 1).encode() + b"\n"
        aside = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        try:
            _write(aside, text, "wb")
            aside.replace(self._path)
        except OSError as error:
            with suppress(OSError):
                aside.unlink(missing_ok=True)
            try:
                # A disk without room for another file: torn, it counts as at work.
                _write(self._path, text, "r+b")
            except OSError:
                _LOG.warning(
                    "what the shuffler does could not be kept in %s: %s", self._path, error
                )
                return False
        self._kept = told
        return True


def _write(path: Path, text: bytes, mode: Literal["wb", "r+b"]) -> None:
    with path.open(mode) as file:
        file.write(text)
        # What was longer before leaves nothing behind the end.
        file.truncate()
        file.flush()
        os.fsync(file.fileno())


def _checked(values: Any) -> Remembered:
    if not isinstance(values, dict):
        raise ValueError("it is no object")
    # Files of earlier versions hold nothing that waits.
    values = {"waiting": [], **values}
    if set(values) != set(Remembered.__slots__) or not isinstance(values["waiting"], list):
        raise ValueError("it has other keys")
    numbers = ("seat", "wanted", "done", "deals")
    if not all(type(values[name]) is int and values[name] >= 0 for name in numbers):
        raise ValueError("a number is none")
    if type(values["busy"]) is not bool:
        raise ValueError("busy is neither true nor false")
    waiting = tuple(Waiting(**one) for one in values["waiting"])
    if not all(type(n) is int and n >= 0 for w in waiting for n in (w.seat, w.passes, w.at_us)):
        raise ValueError("a number of what waits is none")
    return Remembered(**{**values, "waiting": waiting})
