"""The log's port: append-only facts, one game after another. ``sqlite_log`` is the real one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.errors import EngineError
from engine.facts import Fact, Recorded


class LogError(EngineError):
    """The log cannot be read or written as asked."""


class VersionConflict(LogError, ValueError):
    """Someone else appended first: the version that was expected is not the newest."""


class UnknownGame(LogError, LookupError):
    """No game of that id is in the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A fact on its way into the log."""

    at_us: int
    source: str
    fact: Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class GameLine:
    """One game as the list of games shows it."""

    game_id: str
    started_at_us: int
    version: int


class Log(Protocol):
    def append(
        self, game_id: str, entries: Sequence[Entry], *, after_version: int
    ) -> tuple[Recorded, ...]:
        """Append all or none, durably; raise VersionConflict unless the game stands at
        ``after_version`` (0: a new game)."""
        ...

    def read(self, game_id: str, *, after_version: int = 0) -> tuple[Recorded, ...]:
        """The game's facts in order; raise UnknownGame."""
        ...

    def games(self) -> tuple[GameLine, ...]:
        """All games, oldest first."""
        ...

    def close(self) -> None: ...
