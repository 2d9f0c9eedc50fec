"""A file for a bug report: what the doctor found, versions, settings, the last game's facts.

Nothing private is in it. Pictures, clips and codes are never read into it; players' names
become seats; free texts, addresses, host and user names are struck out, and times count from
the game's first fact. What is in it can be looked at before it is sent: it is a plain zip.
"""

from __future__ import annotations

import contextlib
import getpass
import importlib.metadata
import json
import platform
import re
import socket
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from engine import codec
from engine.cards import SEAT_NAMES
from engine.facts import Recorded
from engine.log import LogError
from engine.sqlite_log import SqliteLog
from pi.doctor.check import Check, Surroundings
from pi.errors import KitError
from pi.settings import KitSettings

_PATTERNS: Final = (
    (re.compile(r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b", re.I), "(hardware address)"),
    (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b"), "(address)"),
    (re.compile(r"(?<![\w:])(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}(?![\w:])", re.I), "(address)"),
    # A join link carries its code behind the sharp; so may whatever else follows one.
    (re.compile(r"(?i)(/join|#)\S*"), "(link)"),
    (
        re.compile(r"(?i)\b((?:code|token|secret|pin|cookie|ssid|psk|password)\w*)\b\W+\S+"),
        r"\1 (struck)",
    ),
    (re.compile(r"/home/[^/\s]+"), "/home/(user)"),
)
#: Texts that people wrote, and what points to pictures.
_FREE_TEXT: Final = frozenset({"reason", "title", "note", "text"})
_JOURNAL_LINES: Final = "300"


class BundleFailed(KitError, OSError):
    """The file could not be written."""


def write_bundle(
    file: Path,
    *,
    checks: Sequence[Check],
    log_path: Path,
    settings: KitSettings,
    around: Surroundings,
) -> tuple[str, ...]:
    """Write the zip; answer the names of what is in it. Raises BundleFailed."""
    records = _last_game(log_path)
    private = _private_words(log_path, settings)
    told = [_values_struck(asdict(check), private) for check in checks]
    # Through JSON first: paths become texts.
    plain = json.loads(json.dumps(asdict(settings), default=str))
    facts = (_values_struck(line, private) for line in _bare_facts(records))
    parts: dict[str, str] = {
        "doctor.json": json.dumps(told, indent=1),
        "versions.txt": "\n".join(_versions()),
        "settings.json": json.dumps(_values_struck(plain, private), indent=1),
        "last-game.jsonl": "\n".join(json.dumps(line) for line in facts),
    }
    journal = around.ask(
        ["journalctl", "-u", "upcard.service", "-n", _JOURNAL_LINES, "--no-pager", "-o", "cat"]
    )
    if journal:
        parts["journal.txt"] = struck(journal, private)
    try:
        with zipfile.ZipFile(file, "x", zipfile.ZIP_DEFLATED) as packed:
            for name, text in parts.items():
                packed.writestr(name, text + "\n")
    except FileExistsError as error:
        raise BundleFailed(f"{file} is there already: name a new file") from error
    except OSError as error:
        raise BundleFailed(f"{file} cannot be written ({error.strerror}): name another") from error
    return tuple(parts)


def struck(text: str, private: Iterable[str]) -> str:
    """``text`` without addresses, links, codes and the ``private`` words."""
    for pattern, instead in _PATTERNS:
        text = pattern.sub(instead, text)
    for word in sorted(private, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", "(struck)", text, flags=re.I)
    return text


def _values_struck(value: Any, private: Iterable[str]) -> Any:
    """JSON values with every text in them struck; the keys are ours."""
    match value:
        case dict():
            return {key: _values_struck(inner, private) for key, inner in value.items()}
        case list() | tuple():
            return [_values_struck(inner, private) for inner in value]
        case str():
            return struck(value, private)
        case _:
            return value


def _private_words(log_path: Path, settings: KitSettings) -> set[str]:
    """Names of players of any game, of this machine and its user, and the page's codes."""
    words = {socket.gethostname(), socket.gethostname().split(".")[0]}
    with contextlib.suppress(OSError, KeyError):  # a user without a name has none to hide
        words.add(getpass.getuser())
    words |= set(getattr(settings, "page_names", ()))
    for path in log_path.parent.glob("*.json"):
        # The codes: whatever is written there is not written here.
        try:
            words |= set(re.findall(r"[0-9A-Za-z]{4,}", path.read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError):
            continue
    try:
        with SqliteLog(log_path, read_only=True) as log:
            for line in log.games():
                try:
                    words |= _names_in(log.read(line.game_id))
                except LogError:
                    continue
    except LogError:
        pass  # without a log there are no players
    # Short common words would strike out half of every sentence.
    return {word for word in words if len(word) >= 2 and word.lower() not in _ORDINARY}


_ORDINARY: Final = frozenset(
    {"root", "upcard", "localhost", "true", "false", "home", "codes", "secret"}
    | {name.lower() for name in SEAT_NAMES}
)


def _names_in(records: Sequence[Recorded]) -> set[str]:
    found: set[str] = set()

    def walk(value: Any, key: str = "") -> None:
        match value:
            case dict():
                for inner_key, inner in value.items():
                    walk(inner, inner_key)
            case list() | tuple():
                for inner in value:
                    walk(inner, key)
            case str() if key in ("names", "name", "title"):
                found.add(value)
                found.update(part for part in value.split() if len(part) > 2)
            case _:
                pass

    for record in records:
        walk(codec.fact_to_json(record.fact))
    return found


def _last_game(log_path: Path) -> tuple[Recorded, ...]:
    try:
        with SqliteLog(log_path, read_only=True) as log:
            games = log.games()
            return log.read(games[-1].game_id) if games else ()
    except LogError:
        return ()


def _bare_facts(records: Sequence[Recorded]) -> list[dict[str, Any]]:
    """The facts with seats for names, no free texts, no pictures, times from the first."""
    if not records:
        return []
    start_us = records[0].at_us
    return [
        {
            "version": r.version,
            "at_us": r.at_us - start_us,
            "source": r.source.split(":")[0],
            "fact": _bare(codec.fact_to_json(r.fact)),
        }
        for r in records
    ]


def _bare(value: Any, key: str = "") -> Any:
    match value:
        case dict():
            return {k: _bare(inner, k) for k, inner in value.items()}
        case list() | tuple() if key == "names":
            seats = len(SEAT_NAMES)
            return [SEAT_NAMES[n] if n < seats else f"seat {n}" for n in range(len(value))]
        case list() | tuple():
            return [_bare(inner, key) for inner in value]
        case str() if key == "evidence":
            return None
        case str() if key in _FREE_TEXT:
            return "(struck)" if value else ""
        case _:
            return value


def _versions() -> list[str]:
    installed = sorted(
        f"{d.metadata['Name']} {d.version}" for d in importlib.metadata.distributions()
    )
    return [f"Python {platform.python_version()}, {platform.machine()}", *installed]
