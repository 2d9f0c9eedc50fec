"""What the kit keeps of a home, and how it goes away again.

Frames never leave memory. Kept are the pictures that a play, a review or a finding rests on,
cropped to the card with a little table around it, and the clips that somebody asked for; both
for a stated time. A game that is deleted takes its pictures with it: its facts are overwritten
in the log (:meth:`engine.sqlite_log.SqliteLog.erase`), then its files go. If the power goes in
between, the files that no game names any more go with the next tidying.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engine import codec
from engine.facts import Recorded
from engine.log import LogError
from engine.sqlite_log import SqliteLog

_PICTURE: Final = re.compile(r"[0-9a-f]{32}\.jpg")
_CLIP: Final = re.compile(r"clip-[0-9]{8}-[0-9]{6}(-[0-9]+)?\.avi")
_DAY_S: Final = 86_400
#: A picture is written before the fact that names it: none younger than this is an orphan.
_ORPHAN_S: Final = _DAY_S
#: What a killed process left half written beside the pictures.
_ASIDE_S: Final = 3_600


@dataclass(frozen=True, slots=True, kw_only=True)
class Deleted:
    """``facts`` and ``pictures``: how many of each are gone."""

    facts: int
    pictures: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What lies in the kit's folders. ``oldest_s``: seconds since 1970, None without pictures."""

    pictures: int
    pictures_bytes: int
    oldest_s: float | None
    clips: int
    clips_bytes: int


def evidence_folder(log: Path, named: Path | None = None) -> Path:
    """Where the pictures of a log's games lie."""
    return named if named is not None else log.parent / "evidence"


def clips_folder(log: Path) -> Path:
    """Where the clips lie that somebody asked for."""
    return log.parent / "clips"


def pictures_of(records: Iterable[Recorded]) -> frozenset[str]:
    """The names of the pictures that these facts rest on."""
    return frozenset(
        name for record in records for name in _evidence_in(codec.fact_to_json(record.fact))
    )


def _evidence_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "evidence":
                yield from [inner] if isinstance(inner, str) else (inner or ())
            else:
                yield from _evidence_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _evidence_in(inner)


def delete_game(log: SqliteLog, game_id: str, evidence: Path) -> Deleted:
    """Delete a game and the pictures that no other game rests on.

    Raises UnknownGame and what a log raises; OSError for a picture that cannot be removed.
    """
    try:
        names = pictures_of(log.read(game_id))
    except LogError as error:
        if not _is_there(log, game_id):
            raise
        # A damaged game can be deleted too; its pictures become orphans and go in time.
        names = frozenset()
        del error
    others = _named_by_games(log, but=game_id)
    facts = log.erase(game_id)
    gone = 0
    for name in sorted(names - others):
        path = evidence / f"{name}.jpg"
        if path.exists():
            path.unlink()
            gone += 1
    return Deleted(facts=facts, pictures=gone)


def _is_there(log: SqliteLog, game_id: str) -> bool:
    return any(line.game_id == game_id for line in log.games())


def _named_by_games(log: SqliteLog, *, but: str | None = None) -> frozenset[str]:
    """The pictures that games rest on; of a damaged game they are not known."""
    names: set[str] = set()
    for line in log.games():
        if line.game_id == but:
            continue
        try:
            names |= pictures_of(log.read(line.game_id))
        except LogError:
            continue
    return frozenset(names)


def tidy(log: Path, evidence: Path, *, keep_days: int, now_s: float) -> int:
    """Remove pictures and clips older than ``keep_days``, and what no game names any more.

    ``now_s``: seconds since 1970. Answers how many files went. With a log that cannot be read,
    only age counts. Raises OSError where a file cannot be removed.
    """
    named: frozenset[str] | None = None
    if log.exists():
        try:
            with SqliteLog(log, read_only=True) as opened:
                damaged = any(not _can_be_read(opened, line.game_id) for line in opened.games())
                named = None if damaged else _named_by_games(opened)
        except LogError:
            named = None
    gone = 0
    for path in _files(evidence):
        age_s = now_s - path.stat().st_mtime
        picture = _PICTURE.fullmatch(path.name) is not None
        orphan = picture and named is not None and path.stem not in named and age_s > _ORPHAN_S
        aside = path.name.startswith(".") and age_s > _ASIDE_S
        if orphan or aside or (picture and age_s > keep_days * _DAY_S):
            path.unlink()
            gone += 1
    for path in _files(clips_folder(log)):
        if _CLIP.fullmatch(path.name) and now_s - path.stat().st_mtime > keep_days * _DAY_S:
            path.unlink()
            gone += 1
    return gone


def _can_be_read(log: SqliteLog, game_id: str) -> bool:
    try:
        log.read(game_id)
    except LogError:
        return False
    return True


def stored(log: Path, evidence: Path) -> Stored:
    """What lies there now. Raises OSError where a folder cannot be read."""
    pictures = [p.stat() for p in _files(evidence) if _PICTURE.fullmatch(p.name)]
    clips = [p.stat() for p in _files(clips_folder(log)) if _CLIP.fullmatch(p.name)]
    return Stored(
        pictures=len(pictures),
        pictures_bytes=sum(s.st_size for s in pictures),
        oldest_s=min((s.st_mtime for s in pictures), default=None),
        clips=len(clips),
        clips_bytes=sum(s.st_size for s in clips),
    )


def _files(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.is_file()) if folder.is_dir() else []
