"""A log in memory: for tests, dry runs and scoring a file. It keeps nothing on disk.

It passes the same tests as :mod:`engine.sqlite_log` and refuses what that refuses: each fact
goes through the codec on its way in, so a fact that could not be stored is not taken here
either, and what is read back is equal to what a real log would return.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import RLock

from engine import codec
from engine.facts import Recorded
from engine.log import Entry, GameLine, UnknownGame, VersionConflict


class MemoryLog:
    """Append-only facts of many games, in this process only. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._games: dict[str, list[Recorded]] = {}
        self._newest_seq = 0

    def append(
        self, game_id: str, entries: Sequence[Entry], *, after_version: int
    ) -> tuple[Recorded, ...]:
        """Append all of ``entries`` or none; return them as the log now holds them.

        Raises VersionConflict unless the game stands at ``after_version``, BadFact for an
        entry that no log can hold.
        """
        facts = [codec.from_row(codec.to_row(entry.fact)) for entry in entries]
        for entry in entries:
            codec.check_envelope(game_id, entry.at_us, entry.source)
        with self._lock:
            standing = len(self._games.get(game_id, ()))
            if standing != after_version:
                raise VersionConflict(conflict(game_id, standing, after_version))
            records = tuple(
                Recorded(
                    seq=self._newest_seq + i,
                    game_id=game_id,
                    version=after_version + i,
                    at_us=entry.at_us,
                    source=entry.source,
                    fact=fact,
                )
                for i, (entry, fact) in enumerate(zip(entries, facts, strict=True), start=1)
            )
            if records:
                self._games.setdefault(game_id, []).extend(records)
                self._newest_seq += len(records)
            return records

    def read(self, game_id: str, *, after_version: int = 0) -> tuple[Recorded, ...]:
        """The game's facts after ``after_version``, in order; raises UnknownGame."""
        with self._lock:
            if game_id not in self._games:
                raise UnknownGame(unknown(game_id, "this log in memory"))
            return tuple(self._games[game_id][max(after_version, 0) :])

    def games(self) -> tuple[GameLine, ...]:
        """All games, oldest first."""
        with self._lock:
            return tuple(
                GameLine(
                    game_id=game_id, started_at_us=records[0].at_us, version=records[-1].version
                )
                for game_id, records in self._games.items()
            )

    def close(self) -> None:
        """Nothing to let go of; here because a log can be closed."""


def conflict(game_id: str, standing: int, after_version: int) -> str:
    """The message of a VersionConflict."""
    return (
        f"game {game_id} stands at version {standing}, not at {after_version}: "
        "read what was appended meanwhile and decide again"
    )


def unknown(game_id: str, where: str) -> str:
    """The message of an UnknownGame."""
    return f"no game {game_id!r} in {where}: upcard games lists those that are there"
